// The sentences of the phrasebook. The notation is that of phrases.cpp.
#include "heed/phrasebook/synchronous_grammar.h"

namespace heed::detail {

const char* const kPhrasebookSentences = R"(
@S
70 {Statement} 。 || {Statement} .
25 {Question} ？ || {Question} ?
10*Thing,3*Appliance,3*Furniture,3*Vehicle,2*Bike,6*Text,2*Writing,6*Garment,3*Fruit,4*Animal,4*AtPlace,1*Hall,1*Open {Describe[X]} 。 || {Describe} .
8*Thing,3*Text,3*Garment,1*Pair,2*Writing {Handle[X]} 。 || {Handle} .
3*Thing,1*Text,1*Garment,1*Vehicle,1*Bike,1*Appliance,1*Fruit,1*Furniture,1*Animal {Ask[X]} ？ || {Ask} ?
2*Animal,2*Thing,1*Vehicle,1*Bike,1*Dish,1*Beverage,1*Fruit,1*Garment,1*Text {Own[X]} 。 || {Own} .
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
2 {Person} 会 {Ability} || {Person} can {Ability.base}
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
1 {Asked} 会 {Ability} 吗 || can {Asked} {Ability.base}
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

}  // namespace heed::detail
