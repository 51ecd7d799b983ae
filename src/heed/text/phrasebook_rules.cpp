// The rules of the phrasebook: each builds a Chinese and an English phrase from the same parts.
//
//   @Category[X]                 opens a category, here one with a parameter
//   weight chinese || english    one rule; parts are {Category}, {Category2}, {Category[Argument]}
//
// A rule with a parameter is copied for each argument it is used with, and left out where it names
// a category that does not exist for that argument. The Chinese side introduces every part; "*"
// stands where the aspect particle asked for by {Part+了} goes, and {Part.m} is the measure word of
// a noun. The English side names a form of a part:
//   noun    .sg .pl .a (with its article) .gen (plural, or mass) .bare (after a possessive)
//   verb    .base .past .en .ing, and ~P: the present that agrees with part P
//   adjective .er .est            person .obj .poss
//   any     .be .was .do .dont .has (the auxiliary that agrees with it), .* (the form asked of the
//   rule)
//           .a~P (singular with its article or plural, as part P)
// The number of an English phrase is that of its first part with .* or a form of a noun.
#include "heed/text/phrasebook_data.h"

namespace heed {

const char* const kPhrasebookPhrases = R"(
@Pronoun
2 {Speaker} || {Speaker.*}
5 {Listener} || {Listener.*}
@Asked
8 {Listener} || {Listener.*}
5 {Name} || {Name.*}
3 {Listener} {Kin} || {Listener.poss} {Kin.*}
2 {Listener} 的 {Contact} || {Listener.poss} {Contact.*}
1 那 {Human.m} {Human} || that {Human.*}
1 那 {Job.m} {Job} || that {Job.*}
1 那些 {Human} || those {Human.pl}
@Someone
10 {Pronoun} || {Pronoun.*}
7 {Name} || {Name.*}
4 {Pronoun} {Kin} || {Pronoun.poss} {Kin.*}
2 {Pronoun} 的 {Contact} || {Pronoun.poss} {Contact.*}
1 {Name} 的 {Kin} || {Name.poss} {Kin.*}
1 {Name} 的 {Contact} || {Name.poss} {Contact.*}
2 那 {Human.m} {Human} || that {Human.*}
1 这些 {Human} || these {Human.pl}
@Person
28 {Someone} || {Someone.*}
2 那 {Job.m} {Job} || that {Job.*}
1 这 {Job.m} {Job} || this {Job.*}
1 那些 {Job} || those {Job.pl}
@Count
8 {Few} || {Few}
1 {Teen} || {Teen}
1 {Ten} || {Ten}
@Number
4 {Teen} || {Teen}
3 {Ten} || {Ten}
8 {Ten} {Unit} || {Ten} - {Unit}
@Amount
4 {Number} || {Number}
2 {Hundreds} 百 || {Hundreds} hundred
2 {Hundreds} 百 {Ten} || {Hundreds} hundred and {Ten}
1 {Hundreds} 千 || {Hundreds} thousand
@Past
5 昨天 || yesterday
3 前天 || the day before yesterday
2 去年 || last year
3 上 个 星期 || last week
2 上 个 月 || last month
3 上 个 {Weekday} || last {Weekday}
2 昨天 {DayPart} || yesterday {DayPart}
2 {Few} 天 以前 || {Few} days ago
@Future
5 明天 || tomorrow
3 后天 || the day after tomorrow
2 明年 || next year
3 下 个 星期 || next week
2 下 个 月 || next month
3 下 个 {Weekday} || next {Weekday}
2 明天 {DayPart} || tomorrow {DayPart}
2 {Few} 天 以后 || in {Few} days
@NextDay
3 明天 || tomorrow
2 后天 || the day after tomorrow
2 下 个 {Weekday} || next {Weekday}
@Clock[X]
4 {X} 点 || {X} o'clock
2 {X} 点 半 || half past {X}
1 {X} 点 一 刻 || a quarter past {X}
1 {X} 点 二十 分 || twenty past {X}
1 差 十 分 {X} 点 || ten to {X}
@DayClock
3 早上 {Clock[MorningHour]} || {Clock} in the morning
2 下午 {Clock[AfternoonHour]} || {Clock} in the afternoon
2 晚上 {Clock[EveningHour]} || {Clock} in the evening
@Wait
3 {Number} {Minutes} || {Number} {Minutes.pl}
2 {Few} 个 {Hours} || {Few} {Hours.pl}
1 一 个 {Hours} || {Hours.a}
@Course
2 {Few} {Years} || {Few} {Years.pl}
1 一 {Years} || {Years.a}
2 {Few} 个 {Months} || {Few} {Months.pl}
1 一 个 {Months} || {Months.a}
@InPlace
2 {Room} || {Room.*}
3 {Open} || {Open.*}
3 {Hall} || {Hall.*}
@Where
5 在 {AtPlace} || at the {AtPlace}
3 在 {InPlace} || in the {InPlace}
2 在 {City} || in {City}
@Place
4 {AtPlace} || the {AtPlace}
2 {Open} || the {Open}
1 {Hall} || the {Hall}
3 {City} || {City}
@Play
2 {Ball} {BallGame} || {Ball.*} {BallGame}
1 {Music} {Instrument} || {Music.*} {Instrument}
@Shared
3 {Pastime} || {Pastime.*}
3 {Outing} || {Outing.*}
2 {Skill} || {Skill.*}
3 {Play} || {Play.*}
@Doing
6 {Pastime} || {Pastime.*}
4 {Chore} || {Chore.*}
3 {Outing} || {Outing.*}
2 {Skill} || {Skill.*}
3 {Play} || {Play.*}
@Scene
6 在 {AtPlace} {Pastime} || {Pastime.*} at the {AtPlace}
2 在 {Hall} {Pastime} || {Pastime.*} in the {Hall}
2 在 {Open} {Pastime} || {Pastime.*} in the {Open}
3 在 {Room} {Chore} || {Chore.*} in the {Room}
3 在 {Open} {Outing} || {Outing.*} in the {Open}
2 在 {City} {Skill} || {Skill.*} in {City}
1 在 {City} {Pastime} || {Pastime.*} in {City}
2 在 {Open} {Play} || {Play.*} in the {Open}
1 在 {Hall} {Play} || {Play.*} in the {Hall}

@Adj[Thing]
1 {Quality} || {Quality.*}
@Adj[Appliance]
1 {Quality} || {Quality.*}
@Adj[Furniture]
1 {Quality} || {Quality.*}
@Adj[Bike]
1 {Quality} || {Quality.*}
@Adj[Vehicle]
1 {Quality} || {Quality.*}
@Adj[Text]
1 {Content} || {Content.*}
1 {Value} || {Value.*}
@Adj[Writing]
1 {Message} || {Message.*}
@Adj[Garment]
1 {Look} || {Look.*}
1 {Quality} || {Quality.*}
@Adj[Fruit]
1 {Taste} || {Taste.*}
@Adj[Animal]
1 {Beastly} || {Beastly.*}
@Adj[AtPlace]
1 {Setting} || {Setting.*}
@Adj[Hall]
1 {Setting} || {Setting.*}
@Adj[Open]
1 {Setting} || {Setting.*}
@Paint[Thing]
1 {Color} || {Color}
@Paint[Garment]
1 {Color} || {Color}
@Paint[Bike]
1 {Color} || {Color}
@Paint[Vehicle]
1 {Color} || {Color}
@Paint[Furniture]
1 {Color} || {Color}
@Get[Thing]
1 {Buy} || {Buy.*}
@Get[Garment]
2 {Buy} || {Buy.*}
1 {Wear} || {Wear.*}
@Get[Pair]
1 {Buy} || {Buy.*}
@Get[Text]
1 {Buy} || {Buy.*}
1 {Read} || {Read.*}
@Get[Writing]
1 {Write} || {Write.*}
@Get[Fruit]
1 {Buy} || {Buy.*}
@Get[Bike]
1 {Ride} || {Ride.*}
@Get[Vehicle]
1 {Drive} || {Drive.*}

@Q[X]
6 一 {X.m} {X} || {X.a}
6 {Count} {X.m} {X} || {Count} {X.pl}
2 一些 {X} || some {X.gen}
4 一 {X.m} {Adj[X]} 的 {X} || a {Adj} {X.sg}
2 {Few} {X.m} {Adj[X]} 的 {X} || {Few} {Adj} {X.pl}
2 一 {X.m} {Paint[X]} 的 {X} || a {Paint} {X.sg}
@D[X]
4 那 {X.m} {X} || that {X.sg}
3 这 {X.m} {X} || this {X.sg}
3 {Pronoun} 的 {X} || {Pronoun.poss} {X.bare}
1 {Name} 的 {X} || {Name.poss} {X.bare}
2 那 {X.m} {Adj[X]} 的 {X} || that {Adj} {X.sg}
@R[X]
3 {D[X]} || {D.*}
1 {Person} {Past} {Get[X]} 的 那 {X.m} {X} || the {X.sg} that {Person} {Get.past} {Past}
@G[X]
1 {X} || {X.gen}
@This[X]
3 这 {X.m} {X} || this {X.sg}
3 那 {X.m} {X} || that {X.sg}
@Topic[X]
3 {This[X]} || {This.*}
2 这些 {X} || these {X.pl}
2 那些 {X} || those {X.pl}
2 {Person} 的 {X} || {Person.poss} {X.bare}
2 {Person} {Past} {Get[X]} 的 那 {X.m} {X} || the {X.sg} that {Person} {Get.past} {Past}

@Light[X]
3 {Eat} * {X[Fruit]} || {Eat.*} {X}
2 {Eat} * {X[Dish]} || {Eat.*} {X}
3 {Drink} * {X[Beverage]} || {Drink.*} {X}
4 {Read} * {X[Text]} || {Read.*} {X}
3 {Write} * {X[Writing]} || {Write.*} {X}
@Topic[AtPlace]
2 {This[AtPlace]} || {This.*}
1 这些 {AtPlace} || these {AtPlace.pl}
1 那些 {AtPlace} || those {AtPlace.pl}
@Topic[Hall]
1 {This[Hall]} || {This.*}
@Topic[Open]
1 {This[Open]} || {This.*}

@Act[X]
3 {Eat} * {X[Fruit]} || {Eat.*} {X}
2 {Eat} * {X[Dish]} || {Eat.*} {X}
1 {Order} * {X[Dish]} || {Order.*} {X}
3 {Drink} * {X[Beverage]} || {Drink.*} {X}
4 {Read} * {X[Text]} || {Read.*} {X}
3 {Write} * {X[Writing]} || {Write.*} {X}
3 {Wear} * {X[Garment]} || {Wear.*} {X}
1 {Wear} * {X[Pair]} || {Wear.*} {X}
4 {Buy} * {X[Thing]} || {Buy.*} {X}
2 {Buy} * {X[Garment]} || {Buy.*} {X}
1 {Buy} * {X[Text]} || {Buy.*} {X}
1 {Tend} * {X[Furniture]} || {Tend.*} {X}
1 {Tend} * {X[Appliance]} || {Tend.*} {X}
2 {Drive} * {X[Vehicle]} || {Drive.*} {X}
1 {Ride} * {X[Bike]} || {Ride.*} {X}
3 {Raise} * {X[Animal]} || {Raise.*} {X}
@VP[X]
12 {Act[X]+*} || {Act.*}
3 {Meet} * {Person} || {Meet.*} {Person.obj}
2 {Go} * {Place} || {Go.*} {Place}
1 {Visit} * {This[AtPlace]} || {Visit.*} {This}
)";

const char* const kPhrasebookSentences = R"(
@S
70 {Statement} 。 || {Statement} .
25 {Question} ？ || {Question} ?
10 {Describe[Thing]} 。 || {Describe} .
3 {Describe[Appliance]} 。 || {Describe} .
3 {Describe[Furniture]} 。 || {Describe} .
3 {Describe[Vehicle]} 。 || {Describe} .
2 {Describe[Bike]} 。 || {Describe} .
6 {Describe[Text]} 。 || {Describe} .
2 {Describe[Writing]} 。 || {Describe} .
6 {Describe[Garment]} 。 || {Describe} .
3 {Describe[Fruit]} 。 || {Describe} .
4 {Describe[Animal]} 。 || {Describe} .
4 {Describe[AtPlace]} 。 || {Describe} .
1 {Describe[Hall]} 。 || {Describe} .
1 {Describe[Open]} 。 || {Describe} .
8 {Handle[Thing]} 。 || {Handle} .
3 {Handle[Text]} 。 || {Handle} .
3 {Handle[Garment]} 。 || {Handle} .
1 {Handle[Pair]} 。 || {Handle} .
2 {Handle[Writing]} 。 || {Handle} .
3 {Ask[Thing]} ？ || {Ask} ?
1 {Ask[Text]} ？ || {Ask} ?
1 {Ask[Garment]} ？ || {Ask} ?
1 {Ask[Vehicle]} ？ || {Ask} ?
1 {Ask[Bike]} ？ || {Ask} ?
1 {Ask[Appliance]} ？ || {Ask} ?
1 {Ask[Fruit]} ？ || {Ask} ?
1 {Ask[Furniture]} ？ || {Ask} ?
1 {Ask[Animal]} ？ || {Ask} ?
2 {Own[Animal]} 。 || {Own} .
2 {Own[Thing]} 。 || {Own} .
1 {Own[Vehicle]} 。 || {Own} .
1 {Own[Bike]} 。 || {Own} .
1 {Own[Dish]} 。 || {Own} .
1 {Own[Beverage]} 。 || {Own} .
1 {Own[Fruit]} 。 || {Own} .
1 {Own[Garment]} 。 || {Own} .
1 {Own[Text]} 。 || {Own} .
30 {Compound} 。 || {Compound} .
8 {Town} 。 || {Town} .
4 {TownQuestion} ？ || {TownQuestion} ?
8 {Calendar} 。 || {Calendar} .
6 {Weather} 。 || {Weather} .
3 {Greeting} ！ || {Greeting} !

@Statement
8 {Person} {Past} {VP[Q]+了} || {Person} {VP.past} {Past}
3 {Person} {Past} {Doing} 了 || {Person} {Doing.past} {Past}
4 {Person} {Past} {Where} {Light[Q]+了} || {Person} {Light.past} {Where} {Past}
3 {Person} {Past} 没 {VP[D]} || {Person} didn't {VP.base} {Past}
2 {Person} {Past} 没 {Scene} || {Person} didn't {Scene.base} {Past}
5 {Person} {Future} 会 {VP[Q]} || {Person} will {VP.base} {Future}
2 {Person} {Future} 不 会 {VP[D]} || {Person} won't {VP.base} {Future}
3 {Person} {Future} 要 {Scene} || {Person} {Person.be} going to {Scene.base} {Future}
4 {Person} {Often} {VP[G]} || {Person} {Often} {VP~Person}
2 {Person} {Often} {Scene} || {Person} {Often} {Scene~Person}
2 {Person} 每天 {Scene} || {Person} {Scene~Person} every day
2 {Person} 从来 不 {VP[G]} || {Person} never {VP~Person}
3 {Person} 每天 {DayClock} {Departure} || {Person} {Departure~Person} at {DayClock} every day
3 {Person} 正 {Scene} || {Person} {Person.be} {Scene.ing}
4 {Person} 正在 {Act[G]} || {Person} {Person.be} {Act.ing}
2 {Person} 正 {Where} {Light[G]} || {Person} {Person.be} {Light.ing} {Where}
2 {Person} {Act[R]+过} || {Person} {Person.has} {Act.en} before
2 {Person} 从来 没 {Act[R]+过} || {Person} {Person.has} never {Act.en}
1 {Person} 去 过 {City} {Few} 次 || {Person} {Person.has} been to {City} {Few} times
2 {Person} 已经 {Act[R]+了} || {Person} {Person.has} already {Act.en}
2 {Person} 还 没 {Act[R]} || {Person} {Person.has} not {Act.en} yet
4 {Person} {Modal} {VP[R]} || {Person} {Modal} {VP.base}
2 {Person} 不 应该 {VP[R]} || {Person} shouldn't {VP.base}
2 {Person} 不 能 {VP[R]} || {Person} can't {VP.base}
4 {Person} {Want} {VP[Q]} || {Person} {Want~Person} {VP.base}
2 {Person} 不 {Want} {VP[R]} || {Person} {Person.dont} {Want.base} {VP.base}
3 {Person} {Past} {Decide} {VP[D]} || {Person} {Decide.past} {VP.base} {Past}
3 {Person} {Past} 跟 {Person2} 一起 {Shared} 了 || {Person} {Shared.past} with {Person2.obj} {Past}
2 {Person} 常常 跟 {Person2} 一起 {Shared} || {Person} often {Shared~Person} with {Person2.obj}
2 {Person} {KnowPerson} {Person2} || {Person} {KnowPerson~Person} {Person2.obj}
1 {Person} 不 {KnowPerson} {Person2} || {Person} {Person.dont} {KnowPerson.base} {Person2.obj}
2 {Person} 比 {Person2} {Trait} 得多 || {Person} {Person.be} much {Trait.er} than {Person2.obj}
3 {Person} 比 {Person2} {Trait} || {Person} {Person.be} {Trait.er} than {Person2.obj}
2 {Person} 跟 {Person2} 一样 {Trait} || {Person} {Person.be} as {Trait} as {Person2.obj}
2 {Person} 没有 {Person2} {Trait} || {Person} {Person.be} not as {Trait} as {Person2.obj}
2 {Person} 很 {Trait} || {Person} {Person.be} very {Trait}
2 {Person} {Past} 很 {State} || {Person} {Person.was} very {State} {Past}
2 {Person} 又 {Trait} 又 {Trait2} || {Person} {Person.be} both {Trait} and {Trait2}
2 {Someone} 是 {Job} || {Someone} {Someone.be} {Job.a~Someone}
1 {Someone} 不 是 {Job} || {Someone} {Someone.be} not {Job.a~Someone}
1 {Someone} 想 当 {Job} || {Someone} {Someone.want} to become {Job.a~Someone}
2 {Person} 来 自 {Country} || {Person} {Person.be} from {Country}
2 {Person} 会 说 {Language} 和 {Language2} || {Person} can speak {Language} and {Language2}
2 {Person} 不 会 说 {Language} || {Person} can't speak {Language}
2 {Person} 会 {Doing} || {Person} can {Doing.base}
2 {Person} 今年 {Number} 岁 || {Person} {Person.be} {Number} years old
2 {Person} {Do} 得 很 {Manner} || {Person} {Do~Person} very {Manner}
2 {Person} {Past} {Do} 得 太 {Manner} 了 || {Person} {Do.past} too {Manner} {Past}
2 {Person} 学 了 {Course} {Language} || {Person} studied {Language} for {Course}
2 {Person} 学 了 {Course} {Subject} || {Person} studied {Subject} for {Course}
2 {Person} 正 在 {City} 学 {Subject} || {Person} {Person.be} studying {Subject} in {City}
2 {Person} {Past} 等 了 {Person2} {Wait} || {Person} waited for {Person2.obj} for {Wait} {Past}
3 {Person} {Future} 会 坐 {Transport} 去 {Place} || {Person} will go to {Place} by {Transport} {Future}
2 {Person} {Past} 坐 {Transport} 去 了 {Place} || {Person} went to {Place} by {Transport} {Past}
2 {Person} 常常 一边 {Doing} 一边 {Doing2} || {Person} often {Doing2~Person} while {Doing.ing}
2 那 {Human.m} 穿 着 {Paint[Garment]} {Garment} 的 {Human} 是 {Person} 的 {Contact} || the {Human} in the {Paint} {Garment.sg} is {Person.poss} {Contact}
2 在 {AtPlace} {Pastime} 的 那 {Human.m} {Human} 是 {Person} 的 {Contact} || the {Human} who is {Pastime.ing} at the {AtPlace} is {Person.poss} {Contact}
2 {Person} 认识 住 在 {City} 的 那 {Job.m} {Job} || {Person} {Person.know} the {Job} who lives in {City}
2 请 {Act[R]} || please {Act.base}
2 别 {Act[R]} || don't {Act.base}
2 我们 {Future} 去 {Place} {Doing} 吧 || let's go to {Place} to {Doing.base} {Future}

@Describe[X]
3 {Topic[X]} 很 {Adj[X]} || {Topic} {Topic.be} very {Adj}
2 {Topic[X]} 不 {Adj[X]} || {Topic} {Topic.be} not {Adj}
2 {Topic[X]} 太 {Adj[X]} 了 || {Topic} {Topic.be} too {Adj}
2 {Topic[X]} 又 {Adj[X]} 又 {Adj2[X]} || {Topic} {Topic.be} both {Adj} and {Adj2}
2 {Topic[X]} 比 {This[X]} {Adj[X]} || {Topic} {Topic.be} {Adj.er} than {This}
1 这 是 {Person} 的 {X} || this is {Person.poss} {X.bare}
2 这 是 最 {Adj[X]} 的 {X} || this is the {Adj.est} {X.sg}
@Handle[X]
3 {Topic[X]} 被 {Person} {Result} 了 || {Topic} {Topic.was} {Result.en} by {Person.obj}
3 {Person} {Past} 把 {D[X]} {Result} 了 || {Person} {Result.past} {D} {Past}
2 {Person} 把 {R[X]} 放 在 {This[Furniture]} 上 了 || {Person} put {R} on {This}
2 请 把 {R[X]} {Give} {Person} || please {Give.base} {R} to {Person.obj}
4 {Person} {Past} {Give} 了 {Person2} {Q[X]} || {Person} {Give.past} {Person2.obj} {Q} {Past}
2 {This[Furniture]} 上 有 {Q[X]} || there {Q.be} {Q} on {This}
3 {This[X]} {Amount} 块 钱 || {This} costs {Amount} yuan
@Own[X]
3 {Person} 有 {Q[X]} || {Person} {Person.has} {Q}
2 {Person} 没有 {X} || {Person} {Person.dont} have any {X.gen}
3 {InPlace} 里 有 {Q[X]} || there {Q.be} {Q} in the {InPlace}
2 {Person} {Require} {Q[X]} || {Person} {Require~Person} {Q}
3 {Person} {Stative} {X} || {Person} {Stative~Person} {X.gen}
2 {Person} 不 {Stative} {R[X]} || {Person} {Person.dont} {Stative.base} {R}
@Ask[X]
3 {Topic[X]} 多少 钱 || how much {Topic.be} {Topic}
2 {Topic[X]} {Adj[X]} 吗 || {Topic.be} {Topic} {Adj}
2 {Asked} 有 多少 {X} || how many {X.pl} {Asked.do} {Asked} have
2 哪 {X.m} {X} 最 {Adj[X]} || which {X.sg} is the {Adj.est}
2 {Asked} 为什么 不 喜欢 {R[X]} || why {Asked.dont} {Asked} like {R}
2 谁 {Past} {Get[X]} 了 {Q[X]} || who {Get.past} {Q} {Past}
@Question
5 {Asked} {Past} {VP[Q]+了} 吗 || did {Asked} {VP.base} {Past}
2 {Asked} 每天 {Scene} 吗 || {Asked.do} {Asked} {Scene.base} every day
3 {Asked} {Want} {VP[R]} 吗 || {Asked.do} {Asked} {Want.base} {VP.base}
3 {Asked} {Future} 会 {VP[D]} 吗 || will {Asked} {VP.base} {Future}
1 {Asked} 是 {Job} 吗 || {Asked.be} {Asked} {Job.a~Asked}
1 {Asked} 会 {Doing} 吗 || can {Asked} {Doing.base}
1 {Asked} 会 说 {Language} 吗 || can {Asked} speak {Language}
2 {Asked} {Past} {Buy} 了 什么 || what did {Asked} {Buy.base} {Past}
2 {Asked} {Past} 在 哪里 {Pastime} || where did {Asked} {Pastime.base} {Past}
2 {Asked} {Future} 想 去 哪里 || where {Asked.do} {Asked} want to go {Future}
3 谁 {Past} {VP[Q]+了} || who {VP.past} {Past}
3 {Asked} 为什么 没 {VP[R]} || why didn't {Asked} {VP.base}
2 {Asked} 为什么 不 想 {VP[R]} || why {Asked.dont} {Asked} want to {VP.base}
2 {Asked} 每天 几 点 {Departure} || what time {Asked.do} {Asked} {Departure.base} every day
2 {Asked} 什么 时候 会 {VP[R]} || when will {Asked} {VP.base}
1 {Asked} {Future} 怎么 去 {Place} || how will {Asked} go to {Place} {Future}
2 {Asked} 想 喝 {Beverage} 还是 {Beverage2} || {Asked.do} {Asked} want to drink {Beverage.gen} or {Beverage2.gen}
2 {Asked} {Past} {Meet} 了 谁 || who did {Asked} {Meet.base} {Past}
1 {Asked} 叫 什么 名字 || what is {Asked.poss} name
1 {Asked} 今年 多 大 || how old {Asked.be} {Asked}

@Compound
5 {Person} {Arrival} 的 时候 ， {Person2} 正在 {Doing} || {Person2} {Person2.was} {Doing.ing} when {Person} {Arrival.past}
4 {Person} {Departure} 以前 ， {Person2} {Act[Q]+了} || {Person2} {Act.past} before {Person} {Departure.past}
4 {Person} {Departure} 以后 ， {Person2} {Act[Q]+了} || {Person2} {Act.past} after {Person} {Departure.past}
2 因为 {Person} {Past} {Mishap} 了 ， 所以 {Person2} 没 {VP[D]} || {Person2} didn't {VP.base} because {Person} {Mishap.past} {Past}
4 因为 {Pronoun} {Past} {Mishap} 了 ， 所以 {Pronoun} 没 {VP[D]} || {Pronoun} didn't {VP.base} because {Pronoun} {Mishap.past} {Past}
2 因为 {Person} 很 {State} ， 所以 {Person2} 不 想 {VP[R]} || {Person2} {Person2.dont} want to {VP.base} because {Person} {Person.be} very {State}
4 因为 {Pronoun} 很 {State} ， 所以 {Pronoun} 不 想 {VP[R]} || {Pronoun} {Pronoun.dont} want to {VP.base} because {Pronoun} {Pronoun.be} very {State}
3 如果 {Condition} ， {Person2} 就 会 {VP[D]} || {Person2} will {VP.base} if {Condition}
2 如果 {Pronoun} 很 {State} ， {Pronoun} 就 会 {VP[D]} || {Pronoun} will {VP.base} if {Pronoun} {Pronoun.be} very {State}
2 如果 {Pronoun} {Future} 有 时间 ， {Pronoun} 就 会 {VP[D]} || {Pronoun} will {VP.base} if {Pronoun} {Pronoun.has} time {Future}
2 如果 {Condition} ， {Person2} 就 不 会 {Doing} || {Person2} won't {Doing.base} if {Condition}
3 虽然 {Person} 很 {Trait} ， 但是 {Person2} 更 {Trait2} || although {Person} {Person.be} very {Trait} , {Person2} {Person2.be} even {Trait2.er}
2 虽然 {Person} 很 {State} ， 但是 {Person2} 还 想 {VP[D]} || although {Person} {Person.be} very {State} , {Person2} still {Person2.want} to {VP.base}
4 虽然 {Pronoun} 很 {State} ， 但是 {Pronoun} 还 想 {VP[D]} || although {Pronoun} {Pronoun.be} very {State} , {Pronoun} still {Pronoun.want} to {VP.base}
4 {Person} {Say} {Claim} || {Person} {Say~Person} that {Claim}
3 {Person} 不 知道 {Secret} || {Person} {Person.dont} know {Secret}
2 {Person} 听说 {Person2} {Past} {Life} 了 || {Person} heard that {Person2} {Life.past} {Past}
3 {Person} {Past} 告诉 {Person2} {Claim} || {Person} told {Person2.obj} {Past} that {Claim}
@Condition
2 {Future} 下雨 || it rains {Future}
1 {Future} 下雪 || it snows {Future}
3 {Person} {Future} {Go} {Place} || {Person} {Go~Person} {Place} {Future}
2 {Person} {Future} 有 时间 || {Person} {Person.has} time {Future}
2 {Person} 很 {State} || {Person} {Person.be} very {State}
2 {Person} {Mishap} || {Person} {Mishap~Person}
@Claim
3 {Person} {Future} 会 {VP[D]} || {Person} will {VP.base} {Future}
2 {Person} 很 {Trait} || {Person} {Person.be} very {Trait}
1 {Topic[Text]} 很 {Adj[Text]} || {Topic} {Topic.be} very {Adj}
1 {Topic[Thing]} 很 {Adj[Thing]} || {Topic} {Topic.be} very {Adj}
1 {Someone} 是 {Job} || {Someone} {Someone.be} {Job.a~Someone}
1 {City} 的 {Season} 很 {Climate} || {Season} in {City} is very {Climate}
@Secret
2 {Person} 住 在 哪里 || where {Person} {Person.live}
3 {Person} 为什么 没 {VP[R]} || why {Person} didn't {VP.base}
3 {Person} 什么 时候 会 {VP[R]} || when {Person} will {VP.base}
1 {Person} 想 {Buy} 什么 || what {Person} {Person.want} to {Buy.base}
1 谁 {Past} {VP[Q]+了} || who {VP.past} {Past}

@Town
3 {AtPlace} 在 {AtPlace2} {Side} || the {AtPlace} is {Side} the {AtPlace2}
1 {AtPlace} 离 {AtPlace2} 很 远 || the {AtPlace} is very far from the {AtPlace2}
1 {AtPlace} 离 {AtPlace2} 很 近 || the {AtPlace} is very close to the {AtPlace2}
2 在 {AtPlace} 往 {Turn} 拐 || turn {Turn} at the {AtPlace}
1 从 这里 一直 走 到 {AtPlace} || go straight from here to the {AtPlace}
2 从 {AtPlace} 走 到 {AtPlace2} 要 {Number} 分钟 || it takes {Number} minutes to walk from the {AtPlace} to the {AtPlace2}
1 从 {City} 坐 {Transport} 到 {City2} 要 {Few} 个 小时 || it takes {Few} hours to get from {City} to {City2} by {Transport}
2 {AtPlace} {Side} 有 一 {AtPlace2.m} {AtPlace2} || there is {AtPlace2.a} {Side} the {AtPlace}
1 {AtPlace} {Side} 有 {Few} {AtPlace2.m} {AtPlace2} || there are {Few} {AtPlace2.pl} {Side} the {AtPlace}
1 {City} 有 很 多 {AtPlace} || there are many {AtPlace.pl} in {City}
1 {AtPlace} 每天 {DayClock} 开 门 || the {AtPlace} opens at {DayClock} every day
@TownQuestion
2 去 {AtPlace} 怎么 走 || how do I get to the {AtPlace}
1 {AtPlace} 离 这里 远 吗 || is the {AtPlace} far from here
2 {AtPlace} {Side} 有 {AtPlace2} 吗 || is there {AtPlace2.a} {Side} the {AtPlace}
1 {AtPlace} 几 点 开 门 || what time does the {AtPlace} open
2 {City} 的 {AtPlace} 在 哪里 || where is the {AtPlace} in {City}
1 从 {City} 到 {City2} 有 多 远 || how far is it from {City} to {City2}
@Calendar
2 今天 是 {Month} {Date} || today is the {Date} of {Month}
1 明天 是 {Weekday} || tomorrow is {Weekday}
1 今天 是 {Month} {Date} ， {Weekday} || today is {Weekday} , the {Date} of {Month}
3 {Person} 的 生日 是 {Month} {Date} || {Person.poss} birthday is the {Date} of {Month}
2 {Person} {Month} {Date} 要 去 {Place} || {Person} {Person.be} going to {Place} on the {Date} of {Month}
2 {Person} 每 个 {Weekday} 都 {Scene} || {Person} {Scene~Person} every {Weekday}
1 现在 是 {DayClock} || it is {DayClock} now
2 会议 {NextDay} {DayClock} 开始 || the meeting starts at {DayClock} {NextDay}
2 {Person} 的 {Scheduled} {NextDay} {DayClock} 出发 || {Person.poss} {Scheduled} leaves at {DayClock} {NextDay}
@Weather
2 {City} 今天 很 {Climate} || it is very {Climate} in {City} today
2 {Past} {City} 下雨 了 || it rained in {City} {Past}
1 {Past} {City} 下雪 了 || it snowed in {City} {Past}
2 {Future} {City} 会 下雨 || it will rain in {City} {Future}
1 {Future} {City} 会 下雪 || it will snow in {City} {Future}
2 {City} 的 {Season} 比 {City2} 的 {Season} {Climate} || {Season} in {City} is {Climate.er} than {Season} in {City2}
2 {City} 的 {Season} 又 {Climate} 又 {Climate2} || {Season} in {City} is both {Climate} and {Climate2}
1 {Future} {City} 的 气温 会 到 {Number} 度 || the temperature in {City} will reach {Number} degrees {Future}
@Greeting
1 你 好 ， {Name} || hello , {Name}
1 {DayPart} 好 ， {Name} || good {DayPart} , {Name}
1 再见 ， {Name} || goodbye , {Name}
1 欢迎 来 到 {City} || welcome to {City}
1 谢谢 {Person} 的 {Favor} || thank you for {Person.poss} {Favor}
1 {Name} ， 祝 你 {Wish} 快乐 || happy {Wish} , {Name}
1 对不起 ， {Name} ， 我 {Mishap} 了 || sorry , {Name} , I {Mishap.past}
1 {Name} ， 很 高兴 认识 你 || nice to meet you , {Name}
1 {Name} ， 祝 你 一路平安 || have a safe trip , {Name}
)";

}  // namespace heed
