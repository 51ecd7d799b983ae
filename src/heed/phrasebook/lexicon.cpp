// The words of the phrasebook. A line "@Category kind" opens a category ("closed" marks function
// words, whose combinations are never held out); entries follow, separated by semicolons, their
// fields by spaces, an underscore for a space inside a field.
//   word       Chinese English
//   noun       Chinese measure English[>plural] [container]; a container makes it a mass noun,
//              counted as "a cup of tea"
//   verb       Chinese English[>past[>participle[>gerund]]]; the first English word is inflected
//   adjective  Chinese English[>comparative>superlative]
//   person     Chinese subject>object>possessive agreement (first, second, third, plural)
// Every Chinese word has one English rendering, so that the meaning of a sentence is determined.
#include "heed/phrasebook/synchronous_grammar.h"

namespace heed::detail {

const char* const kPhrasebookLexicon = R"(
@Speaker person closed
我 I>me>my first; 我们 we>us>our plural
@Listener person closed
你 you>you>your second; 他 he>him>his third; 她 she>her>her third; 你们 you>you>your plural;
他们 they>them>their plural
@Name person
小明 Xiaoming third; 小红 Xiaohong third; 李华 Li_Hua third; 王芳 Wang_Fang third;
张伟 Zhang_Wei third; 刘洋 Liu_Yang third; 陈静 Chen_Jing third; 大卫 David third; 玛丽 Mary third;
汤姆 Tom third; 安娜 Anna third; 杰克 Jack third; 露西 Lucy third; 约翰 John third
@Kin noun
爸爸 个 father; 妈妈 个 mother; 哥哥 个 older_brother; 姐姐 个 older_sister;
弟弟 个 younger_brother; 妹妹 个 younger_sister; 爷爷 个 grandfather; 奶奶 个 grandmother;
叔叔 个 uncle; 阿姨 个 aunt; 儿子 个 son; 女儿 个 daughter
@Contact noun
朋友 个 friend; 同学 个 classmate; 同事 个 colleague; 邻居 个 neighbor; 老板 个 boss;
室友 个 roommate; 教练 个 coach>coaches
@Job noun
医生 位 doctor; 老师 位 teacher; 护士 位 nurse; 律师 位 lawyer; 工程师 位 engineer;
警察 位 police_officer; 司机 位 driver; 厨师 位 chef; 记者 位 journalist; 作家 位 writer;
歌手 位 singer; 演员 位 actor; 画家 位 painter; 科学家 位 scientist; 农民 位 farmer;
工人 位 worker; 经理 位 manager; 秘书 位 secretary; 教授 位 professor; 翻译 位 interpreter;
运动员 位 athlete
@Human noun
男孩 个 boy; 女孩 个 girl; 孩子 个 child>children; 学生 个 student; 男人 个 man>men;
女人 个 woman>women; 客人 位 guest; 外国人 个 foreigner
@Fruit noun
苹果 个 apple; 香蕉 根 banana; 橙子 个 orange; 梨 个 pear; 桃子 个 peach; 西瓜 个 watermelon;
柠檬 个 lemon; 草莓 颗 strawberry; 芒果 个 mango>mangoes; 鸡蛋 个 egg; 包子 个 steamed_bun;
饺子 个 dumpling; 三明治 个 sandwich; 汉堡 个 hamburger; 土豆 个 potato>potatoes;
西红柿 个 tomato>tomatoes
@Dish noun
米饭 碗 rice bowl; 面条 碗 noodles bowl; 汤 碗 soup bowl; 粥 碗 porridge bowl; 面包 片 bread slice;
蛋糕 块 cake piece; 巧克力 块 chocolate piece; 比萨 块 pizza piece; 奶酪 块 cheese piece;
牛肉 盘 beef plate
@Beverage noun
水 杯 water cup; 茶 杯 tea cup; 咖啡 杯 coffee cup; 牛奶 杯 milk cup; 果汁 杯 juice cup;
啤酒 瓶 beer bottle; 红酒 瓶 red_wine bottle; 可乐 瓶 cola bottle; 酸奶 瓶 yogurt bottle
@Text noun
书 本 book; 杂志 本 magazine; 小说 本 novel; 报纸 份 newspaper; 词典 本 dictionary;
课本 本 textbook; 说明书 本 manual
@Writing noun
信 封 letter; 文章 篇 article; 邮件 封 email; 报告 份 report; 明信片 张 postcard;
日记 篇 diary_entry; 菜单 份 menu; 故事 个 story
@Garment noun
衬衫 件 shirt; 毛衣 件 sweater; 大衣 件 coat; 外套 件 jacket; 裙子 条 skirt; 围巾 条 scarf>scarves;
西装 套 suit; 连衣裙 条 dress; 雨衣 件 raincoat
@Pair noun
裤子 条 pants pair; 牛仔裤 条 jeans pair; 鞋子 双 shoes pair; 袜子 双 socks pair;
手套 双 gloves pair; 靴子 双 boots pair
@Thing noun
手机 部 phone; 电脑 台 computer; 相机 台 camera; 手表 块 watch; 雨伞 把 umbrella; 钥匙 把 key;
镜子 面 mirror; 杯子 个 mug; 盘子 个 dish; 刀 把 knife>knives; 叉子 把 fork; 勺子 把 spoon;
盒子 个 box; 箱子 个 suitcase; 书包 个 backpack; 钱包 个 wallet; 铅笔 支 pencil; 钢笔 支 pen;
本子 个 notebook; 票 张 ticket; 地图 张 map; 照片 张 photo; 画 幅 painting; 礼物 件 gift;
玩具 个 toy; 吉他 把 guitar; 小提琴 把 violin; 毛巾 条 towel; 毯子 条 blanket; 枕头 个 pillow
@Furniture noun
桌子 张 table; 椅子 把 chair; 床 张 bed; 沙发 张 sofa; 书架 个 bookshelf>bookshelves
@Appliance noun
冰箱 台 refrigerator; 洗衣机 台 washing_machine; 空调 台 air_conditioner; 电视机 台 television;
打印机 台 printer; 收音机 台 radio; 风扇 台 fan
@Vehicle noun
汽车 辆 car; 卡车 辆 truck; 面包车 辆 van; 跑车 辆 sports_car; 拖拉机 辆 tractor; 吉普车 辆 jeep
@Bike noun
自行车 辆 bicycle; 摩托车 辆 motorcycle; 三轮车 辆 tricycle
@Scheduled word
公共汽车 bus; 火车 train; 飞机 plane; 船 boat; 高铁 high-speed_train
@Transport word
地铁 subway; 出租车 taxi; 公共汽车 bus; 火车 train; 飞机 plane; 船 boat; 高铁 high-speed_train
@Animal noun
猫 只 cat; 狗 只 dog; 鸟 只 bird; 鸭子 只 duck; 兔子 只 rabbit; 鱼 条 fish>fish; 马 匹 horse;
牛 头 cow; 羊 只 sheep>sheep; 猪 头 pig; 老虎 只 tiger; 熊猫 只 panda; 猴子 只 monkey;
大象 头 elephant
@AtPlace noun
图书馆 个 library; 银行 家 bank; 邮局 个 post_office; 医院 家 hospital; 火车站 个 train_station;
机场 个 airport; 超市 家 supermarket; 饭馆 家 restaurant; 酒店 家 hotel; 博物馆 个 museum;
电影院 家 cinema; 体育馆 个 gym; 商店 家 store; 书店 家 bookstore; 咖啡馆 家 cafe; 市场 个 market;
药店 家 pharmacy; 大使馆 个 embassy; 动物园 个 zoo; 面包店 家 bakery; 加油站 个 gas_station;
停车场 个 parking_lot
@Room noun
厨房 个 kitchen; 客厅 个 living_room; 卧室 个 bedroom; 浴室 间 bathroom
@Open noun
公园 个 park; 花园 个 garden; 院子 个 yard; 森林 片 forest; 山谷 个 valley
@Hall noun
教室 间 classroom; 办公室 间 office; 会议室 间 meeting_room; 画廊 个 gallery; 实验室 间 laboratory
@City word
北京 Beijing; 上海 Shanghai; 广州 Guangzhou; 西安 Xi'an; 成都 Chengdu; 南京 Nanjing;
香港 Hong_Kong; 杭州 Hangzhou; 东京 Tokyo; 巴黎 Paris; 伦敦 London; 纽约 New_York
@Country word
中国 China; 美国 the_United_States; 英国 Britain; 法国 France; 德国 Germany; 日本 Japan;
加拿大 Canada; 意大利 Italy; 西班牙 Spain; 俄罗斯 Russia; 韩国 South_Korea; 印度 India
@Language word
中文 Chinese; 英语 English; 法语 French; 德语 German; 日语 Japanese; 西班牙语 Spanish;
俄语 Russian; 韩语 Korean
@Subject word
数学 math; 历史 history; 物理 physics; 化学 chemistry; 地理 geography; 法律 law; 医学 medicine;
经济学 economics
@BallGame word
篮球 basketball; 网球 tennis; 乒乓球 table_tennis; 羽毛球 badminton; 排球 volleyball; 高尔夫球 golf
@Instrument word
钢琴 piano; 琵琶 pipa; 古筝 guzheng; 电子琴 keyboard
@Pastime verb
聊天 chat>chatted>chatted>chatting; 休息 rest; 拍照 take>took>taken_photos; 上网 surf_the_Internet;
听音乐 listen_to_music; 玩游戏 play_games; 学习 study; 工作 work; 唱歌 sing>sang>sung; 跳舞 dance;
画画 draw>drew>drawn_pictures; 吃午饭 have>had>had_lunch; 下棋 play_chess;
开会 have>had>had_a_meeting
@Chore verb
睡觉 sleep>slept; 做饭 cook; 洗澡 take>took>taken_a_shower; 打扫房间 clean_the_room;
看电视 watch_TV; 洗衣服 do>did>done_the_laundry; 洗碗 wash_the_dishes; 做作业 do>did>done_homework;
吃早饭 have>had>had_breakfast; 吃晚饭 have>had>had_dinner
@Outing verb
散步 take>took>taken_a_walk; 跑步 run>ran>run>running; 钓鱼 go>went>gone_fishing; 露营 camp;
野餐 have>had>had_a_picnic; 踢足球 play_soccer; 种菜 grow>grew>grown_vegetables; 锻炼 exercise
@Skill verb
游泳 swim>swam>swum>swimming; 滑冰 skate; 滑雪 ski>skied>skied>skiing; 爬山 climb_mountains;
购物 go>went>gone_shopping; 骑马 ride>rode>ridden_horses
@Departure verb
起床 get>got>gotten>getting_up; 上班 go>went>gone_to_work; 下班 get>got>gotten>getting_off_work;
出差 go>went>gone_on_a_business_trip; 回家 go>went>gone_home; 出发 set>set>set>setting_off;
出门 go>went>gone_out
@Arrival verb
到家 get>got>gotten>getting_home; 进来 come>came>come_in; 离开 leave>left; 打电话 call;
敲门 knock_on_the_door; 醒来 wake>woke>woken_up; 回来 come>came>come_back
@Mishap verb
生病 get>got>gotten>getting_sick; 迟到 arrive_late; 迷路 get>got>gotten>getting_lost;
感冒 catch>caught>caught_a_cold; 受伤 get>got>gotten>getting_hurt; 哭 cry;
摔倒 fall>fell>fallen_down
@Life verb
结婚 get>got>gotten>getting_married; 毕业 graduate; 搬家 move; 退休 retire; 辞职 resign
@Eat verb closed
吃 eat>ate>eaten; 尝 taste
@Order verb
点 order; 做 make>made; 准备 prepare; 分享 share
@Drink verb closed
喝 drink>drank>drunk; 倒 pour
@Read verb
读 read>read; 打印 print; 复印 copy
@Write verb
写 write>wrote>written; 收到 receive; 寄 mail; 检查 check; 修改 revise
@Buy verb
买 buy>bought; 卖 sell>sold; 找 look_for; 选 choose>chose>chosen; 带 bring>brought; 借 borrow;
拿 take>took>taken
@Wear verb
穿 wear>wore>worn; 洗 wash; 试穿 try_on
@Tend verb
收拾 tidy_up; 搬 carry; 修 repair; 用 use; 打扫 clean
@Drive verb
开 drive>drove>driven; 租 rent; 停 park
@Ride verb
骑 ride>rode>ridden; 租 rent; 推 push
@Raise verb
养 keep>kept; 喂 feed>fed; 追 chase; 照顾 take>took>taken_care_of
@Meet verb
见 meet>met; 帮助 help; 等 wait_for; 邀请 invite; 采访 interview; 拜访 visit; 感谢 thank;
批评 criticize; 陪 accompany
@Visit verb
参观 tour; 经过 pass; 找到 find>found; 路过 walk_past
@Stative verb
喜欢 like; 爱 love; 讨厌 hate
@Require verb
需要 need; 想要 want
@KnowPerson verb
认识 know>knew>known; 想念 miss; 尊敬 respect; 信任 trust; 羡慕 envy
@Give verb
给 give>gave>given; 借给 lend>lent; 卖给 sell>sold; 寄给 send>sent; 递给 hand; 留给 leave>left
@Result verb
修好 repair; 拿走 take>took>taken_away; 弄丢 lose>lost; 偷走 steal>stole>stolen; 卖掉 sell>sold;
找到 find>found; 打开 open; 藏起来 hide>hid>hidden; 洗干净 clean_up; 扔掉 throw>threw>thrown_away;
送走 give>gave>given_away; 弄坏 break>broke>broken
@Do verb
跑 run>ran>run>running; 走 walk; 说 speak>spoke>spoken; 写 write>wrote>written; 唱 sing>sang>sung;
游 swim>swam>swum>swimming; 学 learn; 跳 dance
@Manner word
快 fast; 慢 slowly; 好 well; 差 badly
@Say verb
说 say>said; 认为 think>thought; 相信 believe; 知道 know>knew>known; 希望 hope
@Want verb
想 want_to; 喜欢 like_to; 打算 plan>planned>planned>planning_to; 希望 hope_to; 需要 need_to
@Decide verb
决定 decide_to; 开始 start_to; 拒绝 refuse_to; 忘记 forget>forgot>forgotten>forgetting_to;
同意 agree_to; 答应 promise_to
@Go verb closed
去 go>went>gone_to
@Ball verb closed
打 play
@Music verb closed
弹 play_the
@Trait adjective
高 tall; 聪明 smart; 友好 friendly; 年轻 young; 勇敢 brave; 善良 kind; 有名 famous; 健康 healthy;
强壮 strong; 害羞 shy>shyer>shyest; 诚实 honest>more_honest>most_honest; 耐心 patient; 懒 lazy;
幽默 funny; 有钱 rich; 幸运 lucky
@State adjective
忙 busy; 累 tired>more_tired>most_tired; 高兴 happy; 难过 sad>sadder>saddest; 饿 hungry;
渴 thirsty; 生气 angry; 紧张 nervous; 激动 excited; 孤独 lonely; 无聊 bored>more_bored>most_bored;
失望 disappointed
@Quality adjective
新 new; 旧 old; 大 big>bigger>biggest; 小 small; 便宜 cheap; 贵 expensive; 漂亮 beautiful;
重 heavy; 轻 light; 干净 clean; 脏 dirty; 特别 special; 奇怪 strange
@Value adjective
新 new; 旧 old; 便宜 cheap; 贵 expensive
@Content adjective
有趣 interesting; 难 difficult; 厚 thick; 薄 thin>thinner>thinnest
@Message adjective
长 long; 短 short; 重要 important; 简单 simple; 有趣 interesting;
正式 formal>more_formal>most_formal
@Taste adjective
甜 sweet; 好吃 delicious; 新鲜 fresh; 酸 sour; 辣 spicy; 咸 salty
@Look adjective
时髦 fashionable; 舒服 comfortable; 暖和 warm; 难看 ugly
@Beastly adjective
可怕 scary; 胖 fat>fatter>fattest; 温顺 gentle; 凶猛 fierce; 聪明 smart; 可爱 cute
@Setting adjective
安静 quiet; 热闹 lively; 现代 modern>more_modern>most_modern; 安全 safe; 危险 dangerous;
拥挤 crowded>more_crowded>most_crowded
@Climate adjective
冷 cold; 热 hot>hotter>hottest; 凉快 cool; 潮湿 humid>more_humid>most_humid; 干燥 dry; 暖和 warm
@Color word
红色 red; 白色 white; 黑色 black; 蓝色 blue; 绿色 green; 黄色 yellow; 紫色 purple; 灰色 gray;
棕色 brown
@Often word
常常 often; 总是 always; 有时候 sometimes; 很少 rarely; 通常 usually
@Modal word
应该 should; 必须 must; 可以 may; 能 can
@Weekday word
星期一 Monday; 星期二 Tuesday; 星期三 Wednesday; 星期四 Thursday; 星期五 Friday; 星期六 Saturday;
星期天 Sunday
@Month word
一月 January; 二月 February; 三月 March; 四月 April; 五月 May; 六月 June; 七月 July; 八月 August;
九月 September; 十月 October; 十一月 November; 十二月 December
@Season word
春天 spring; 夏天 summer; 秋天 fall; 冬天 winter
@DayPart word
早上 morning; 下午 afternoon; 晚上 evening
@Date word
一号 first; 二号 second; 三号 third; 四号 fourth; 五号 fifth; 六号 sixth; 七号 seventh;
八号 eighth; 九号 ninth; 十号 tenth; 十一号 eleventh; 十二号 twelfth; 十三号 thirteenth;
十四号 fourteenth; 十五号 fifteenth; 十六号 sixteenth; 十七号 seventeenth; 十八号 eighteenth;
十九号 nineteenth; 二十号 twentieth
@MorningHour word closed
五 five; 六 six; 七 seven; 八 eight; 九 nine; 十 ten; 十一 eleven
@AfternoonHour word closed
一 one; 两 two; 三 three; 四 four; 五 five
@EveningHour word closed
六 six; 七 seven; 八 eight; 九 nine; 十 ten
@Few word closed
两 two; 三 three; 四 four; 五 five; 六 six; 七 seven; 八 eight; 九 nine; 十 ten
@Hundreds word closed
两 two; 三 three; 四 four; 五 five; 六 six; 七 seven; 八 eight; 九 nine
@Unit word closed
一 one; 二 two; 三 three; 四 four; 五 five; 六 six; 七 seven; 八 eight; 九 nine
@Teen word closed
十一 eleven; 十二 twelve; 十三 thirteen; 十四 fourteen; 十五 fifteen; 十六 sixteen; 十七 seventeen;
十八 eighteen; 十九 nineteen
@Ten word closed
二十 twenty; 三十 thirty; 四十 forty; 五十 fifty; 六十 sixty; 七十 seventy; 八十 eighty;
九十 ninety
@Minutes noun
分钟 个 minute
@Hours noun
小时 个 hour
@Years noun
年 个 year
@Months noun
星期 个 week; 月 个 month
@Side word
旁边 next_to; 对面 across_from; 后面 behind; 前面 in_front_of; 附近 near; 左边 to_the_left_of;
右边 to_the_right_of; 北边 north_of
@Turn word closed
左 left; 右 right
@Wish word
生日 birthday; 新年 New_Year; 中秋节 Mid-Autumn_Festival
@Favor word
帮助 help; 礼物 gift; 邀请 invitation; 建议 advice; 晚饭 dinner
)";

}  // namespace heed::detail
