// The rules of the phrasebook: each builds a Chinese and an English phrase from the same parts.
//
//   @Category[X]                 opens a category, here one with a parameter
//   @Category[One,Other]         opens several that have the same rules
//   weight chinese || english    one rule; parts are {Category}, {Category2}, {Category[Argument]}
//   2*One,1*Other ...            a rule for each argument, in the place of X
//
// A rule with a parameter is copied for each argument it is used with, and left out where it names
// a category that does not exist for that argument. The Chinese side introduces every part; "*"
// marks where the aspect particle asked for by {Part+了} goes, and {Part.m} is the measure word of
// a noun. The English side names a form of a part:
//   noun    .sg .pl .a (with its article) .gen (plural, or mass) .bare (after a possessive)
//   verb    .base .past .en .ing, and ~P: the present that agrees with part P
//   adjective .er .est            person .obj .poss
//   any     .be .was .do .dont .has (the auxiliary that agrees with it), .* (the form asked of the
//   rule)
//           .a~P (singular with its article or plural, as part P)
// The number of an English phrase is that of its first part with .* or a form of a noun.
#include "heed/phrasebook/synchronous_grammar.h"

namespace heed::detail {

const char* const kPhrasebookPhrases = R"(
@Pronoun
2*Speaker,5*Listener {X} || {X.*}
@Asked
8*Listener,5*Name {X} || {X.*}
3 {Listener} {Kin} || {Listener.poss} {Kin.*}
2 {Listener} 的 {Contact} || {Listener.poss} {Contact.*}
1 那 {Human.m} {Human} || that {Human.*}
1 那 {Job.m} {Job} || that {Job.*}
1 那些 {Human} || those {Human.pl}
@Someone
10*Pronoun,7*Name {X} || {X.*}
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
@Owner
5*Pronoun,4*Name {X} || {X.*}
2 {Pronoun} {Kin} || {Pronoun.poss} {Kin.*}
1 {Pronoun} 的 {Contact} || {Pronoun.poss} {Contact.*}
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
2*Room,3*Open,3*Hall {X} || {X.*}
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
@Ability
2*Skill,3*Play {X} || {X.*}
@Shared
3*Pastime,3*Outing,2*Skill,3*Play {X} || {X.*}
@Doing
6*Pastime,4*Chore,3*Outing,2*Skill,3*Play {X} || {X.*}
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

@Adj[Thing,Appliance,Furniture,Bike,Vehicle]
1 {Quality} || {Quality.*}
@Adj[Text]
1*Content,1*Value {X} || {X.*}
@Adj[Writing]
1 {Message} || {Message.*}
@Adj[Garment]
1*Look,1*Quality {X} || {X.*}
@Adj[Fruit]
1 {Taste} || {Taste.*}
@Adj[Animal]
1 {Beastly} || {Beastly.*}
@Adj[AtPlace,Hall,Open]
1 {Setting} || {Setting.*}
@Paint[Thing,Garment,Bike,Vehicle,Furniture]
1 {Color} || {Color}
@Get[Thing,Pair,Fruit]
1 {Buy} || {Buy.*}
@Get[Garment]
2*Buy,1*Wear {X} || {X.*}
@Get[Text]
1*Buy,1*Read {X} || {X.*}
@Get[Writing]
1 {Write} || {Write.*}
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
1 {Owner} {Past} {Get[X]} 的 那 {X.m} {X} || the {X.sg} that {Owner} {Get.past} {Past}
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
2 {Owner} {Past} {Get[X]} 的 那 {X.m} {X} || the {X.sg} that {Owner} {Get.past} {Past}

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

}  // namespace heed::detail
