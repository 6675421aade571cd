/**
 * Everyday English in the words that tools use: `phrase, phrase: words`, the most usual word first. General knowledge only:
 * nothing is here because a certain tool has it. In a phrase, `~` stands for one to four words. `<url>` is the shape of a word, `.txt` the ending of a
 * file's name. A phrase may have several lines.
 */
export const LEXICON = `# Questions and wishes
what, which: list get
what is in, what's in, what do i have in, what does ~ contain, contents of: list read get content
which ones, all my, all the, every: list
is there, are there, do i have, do we have, does ~ exist, have i got: list search find get
who: user member people
who is, who are, who's: user member profile people list
who did, who made, who changed, who touched: history log blame activity audit author
who wrote, who created: author blame log
who can see, who has access, who may, who is allowed, who can: permission access role share member
who works, who is in, who is on, who belongs: member user list team
who reports to whom, reports to, chain of command, org chart: organization hierarchy manager
where: location search find path
where is, where are, where did i put, where can i find: search find location
where am i, my position: location current geolocation
where does ~ come from, where did ~ come from: origin source trace lineage
when: date time schedule calendar
when is, when does, when do: date time schedule event
when did, since when, how long ago, last time: history log date
how many, how much is left, number of, amount of, how often, tally, count up: count statistics number
how much, what does ~ cost, what would ~ cost, how expensive, cost of, price of, what do ~ charge: price cost
how much money, how much do i have, what is left on: balance amount account
how long, how much time: duration time estimate
how far, how far is it, how far away, closest: distance
how big, how large, how heavy, how much space, how much room, takes up: size usage storage
how fast, how slow, how quick, how quickly: performance latency speed metric
how old: age date
how hot, how cold, how warm, will it rain, umbrella, sunny, snow, weather, forecast: weather forecast temperature search web
how is, how are, how did, how well: status performance statistics
by train, by bus, on my bike, car, quickest way, on foot to, how do i get to, how to get to, way to, way from, get to, drive to, drive from, walk to, by car, by bike, on foot: directions route
how do i, how does, how to, how can i, how should: documentation guide search help
why: log error explain diagnose
why is, why does, why did, what went wrong, what is wrong, what's wrong, what broke, what happened: error log diagnose explain event
what changed, what has changed, what is different, what's different, what is new, difference between, tell apart: diff compare change history
what time, what's the time, clock: time current
what is going on, what's going on, what's happening, what's up: status activity event
what do you know, what did i tell, what did i say, remember when, recall, you remember, noted about, have i noted, all you know: search memory read knowledge graph
what does ~ mean, meaning of, definition of, what is meant: definition search explain
what does ~ look like, it looks like: screenshot image preview get
what kind of, what type of, what sort of: type list
what can: capabilities list tools
show, let me see, give me, i want to see, i'd like to see, display, view, pull up, bring up: get list show view
tell me, tell me about, i need to know, i want to know, find out: get search
let me know, notify me, tell me when, tell me whenever, tell me if, warn me, ping me, alert me, keep me posted: alert notification monitor webhook subscribe watch
every minute, every ~ minutes, when ~ changes, keep an eye on, look out for, watch out for, watch over, keep watching, check every, check regularly, regularly check: monitor watch alert check
look at, take a look, peek: get view read show
look up, look for, search for, hunt for, find me, track down, dig up, locate, google: search find query lookup
look through, go through, skim, browse through: search list read
look into, figure out: analyze investigate debug
look after: manage
read, read out, open up, what does ~ say: read get content fetch
read aloud, say aloud, say it, speak, out loud, pronounce, voice over, voiceover, narrate: speech tts audio voice
check, check whether, make sure, see if, see whether, find out if, find out whether, double check: check verify validate status get
is it ok, is ~ valid, is ~ correct, any mistakes, correct syntax: validate lint check verify
is ~ up, is ~ down, up and running, still running, still alive, is ~ working, is ~ healthy, is ~ available, outage, ongoing outage: incident status health ping uptime
details, more about, everything about, information about, info about, info on, facts about, all about, particulars: get describe info details
overview, at a glance, big picture: summary overview list dashboard statistics
latest, newest, most recent, last few, lately: recent list latest
first few, sample, example of: sample example head
oldest: sort oldest
biggest, largest, heaviest: size top largest sort
most popular, top ten, trending: trending popular top
# Making things
make, make a new, build me, come up with: create generate make
create, set up, establish, put together, put up, start a new, begin a new, i need a new, i want a new, new, fresh, found, a brand new, introduce: create add new
set up ~ account, register, enrol, enroll, sign up: register create signup account
add, put in, put into, put ~ into, put ~ on, put ~ in, put ~ onto, enter, insert, append, include, attach, stick ~ in, stick ~ on: add create insert append
write down, jot down, note down, take a note, make a note, note that, make note, put down, put on record, put on paper, take down: create note add save
write, compose, draft, author: create write draft
write to, write back, drop a line: send message reply mail
keep, hold on to, hang on to, store, stash away, put away: save store keep
fyi, just so you know, remember, in mind, don't forget, memorize, learn that: memory add create observation store save
forget, unlearn: delete remove memory observation
draw, plot, visualize, illustrate, depict, graph of, as a graph, chart of, diagram of, sketch: chart diagram generate draw plot graph visualization
paint, imagine, artwork, illustration, render me: image generate create
pie: pie chart
bars, bar graph: bar column chart
buckets, spread of, distribution of: histogram distribution boxplot
over time, over the years, by month, per month, trend, curve, development of: line timeseries trend chart
drop out, drop off, conversion, how many ~ make it: funnel conversion
flows between, flow from, where ~ goes, flows into: sankey flow
step by step, process, workflow of, decision: flowchart flow diagram sequence
family tree, tree of, nested: tree hierarchy treemap
brainstorm, ideas around: mindmap mind
overlap, in common, both groups: venn intersection common
bubbles, correlation, correlates, relation between, against each other: scatter correlation
most used words, word frequency: wordcloud frequency
strengths and weaknesses, several dimensions: radar
cause and effect, root causes: fishbone cause
who knows whom, network of, how ~ connected, how ~ related, relationships: network graph relation relationship
build, compile, put ~ together: build create compile
duplicate, copy, clone, make a copy, another copy, own copy, same again, one more like, replicate: copy duplicate clone fork
download a copy, get a copy, local copy, onto my machine, to my machine, to my computer, to my disk, to my laptop, onto my computer, onto my disk: download clone export
template, boilerplate, skeleton, scaffold, starter, bootstrap, kickstart: template scaffold init generate create
invent, dummy, fake, made up, pretend data, placeholder: mock fake generate
pretend, act like, simulate, emulate, fake: emulate simulate mock set
pretend ~ is in, location to: location geolocation set emulate
# Changing things
change, alter, adjust, modify, amend, edit, revise, rework, tweak, touch up, adapt, correct, fix, bring up to date, make changes, update, refresh, overhaul, patch, improve: update edit modify change patch
set, make it, make ~ a, turn ~ into, should be, switch ~ to, change ~ to: update set change edit
rename, call it, new name, retitle: rename update title name
reword, rephrase, rewrite, put differently: update edit rewrite
replace, swap, exchange, substitute, instead of, find and replace: replace update edit
turn on, switch on, enable, activate, turn ~ on, switch ~ on, put ~ live, go live, make ~ live, power on, flip on: enable start activate toggle on update
turn off, switch off, disable, deactivate, turn ~ off, switch ~ off, power off, shut down, power down: disable stop off deactivate toggle update shutdown
into the ~ folder, to the ~ folder, to another folder, move, shift, relocate, bring over, carry over, transfer: move transfer update
push back, put off, postpone, delay, bring forward, move the meeting, later, another day, another time, reschedule: reschedule update date due
due by, due on, deadline, by friday, by monday, by tomorrow, by next week, until when, target date, is due, overdue: due date deadline
resize, bigger, smaller, larger, enlarge, shrink, scale, scale down, make ~ bigger, make ~ smaller, more copies, fewer copies, more instances: resize scale size
speed up, faster, make ~ faster, too slow, slow, slow requests, takes forever, optimize, tune: performance optimize index profile slow latency
undo, take back, revert, roll back, go back to, put ~ back, back to how, back to the way, reverse, restore, bring back, recover, get back, get ~ back, previous version, earlier version, older version, old version, retrieve: rollback revert restore undo reset recover
reset, start over, start afresh, from scratch, clean slate, begin again: reset clear create
restart, reboot: restart reboot
sort, arrange, put ~ in order, order ~ by, rank, rerank, best first, reorder: sort order rank rerank
group, put ~ into groups, categorize, classify, label, tag, mark with: group label tag category classify
split, break down, break up, break ~ into, cut ~ into, divide, chop up, smaller pieces, smaller steps, take apart, cut into, separate: split expand subtask divide segment
merge, combine, join, put ~ together, unite, consolidate, bundle: merge combine join concatenate
tidy, clean, empty, clear, wipe clean, declutter: clear delete cleanup prune purge
on its side, flip, mirror, turn ~ around, rotate, turn sideways, sideways, upright, landscape, portrait, tilt: rotate orientation flip
crop, trim, cut off, cut away, cut ~ out: crop trim cut
hide, conceal, make ~ invisible, out of sight, cover up: hide visibility mask
lock, freeze, protect, seal: lock protect freeze
unlock, open again, reopen, unfreeze, unprotect: unlock reopen
convert, turn ~ into, into a, transform, change ~ into, as a pdf, as csv, as json, as markdown: convert transform export format
translate, in german, in french, in spanish, into english, into german, into french, into spanish, to english, another language, other languages: translate translation language
summarize, sum up, in short, in a nutshell, boil down, key points, gist, tl;dr, main points, digest, recap, abstract: summarize summary
explain, make sense of, walk me through, help me understand: explain describe
calculate, work out, compute, figure, math, add up, plus, minus, times, divided: calculate compute sum math
sum, total, altogether, in all: sum total aggregate
average, mean, typical: average aggregate statistics
compare, contrast, side by side, versus, vs, match ~ against: compare diff
compress, zip, pack, make ~ smaller, squeeze: compress zip archive
unzip, unpack, extract: extract decompress unzip
extract, pull ~ out of, pick out, get ~ out of, grab, lift: extract get read scrape
fill in, fill out, complete the form, the form, put my name: fill form type input
improve ~ wording, proofread, spelling, typos, grammar: lint check correct edit
# Removing
delete, remove, erase, get rid of, throw away, throw out, throw ~ out, throw ~ away, bin, trash, scrap, ditch, drop, destroy, wipe, purge, take away, take out, take ~ out, take off, take ~ off, do away with, discard, dump, eliminate, strip, kick out, no longer need, don't need, no longer want, cross out: delete remove drop destroy
tear down, take down, bring down, decommission, dismantle: destroy delete stop terminate remove
cancel, call off, abort, never mind: cancel delete abort stop
unsubscribe, opt out, stop sending, no more mails: unsubscribe cancel remove
stop, halt, end, quit, terminate, kill, cease, put an end, finish: stop end terminate cancel complete
close, shut: close
resume, continue, go on, carry on, pick up where, keep going, proceed: resume continue start
archive, put away, shelve, retire: archive
put aside, set aside, for a moment, for later, park, shelve for now: stash save snooze
cut off, disconnect, unlink, detach, unplug, hang up, break the link: disconnect detach unlink remove
ban, block, blacklist, keep ~ out, shut out, lock out: block ban deny firewall
# People and messages
wish, write ~ that, thank, congratulate, greet, apologise, shout out, give ~ a heads up, heads up, send, tell, let ~ know, inform, notify, say, say hi, message, text, ping, write to, drop ~ a line, reach out, contact, pass on, announce, broadcast: send message post notification
reply, answer, respond, get back to, write back, react to: reply answer comment thread message
thumb up, smiley, emoji, heart, react, reaction: reaction emoji like add
chat, conversation, talk, discussion, dm, direct message, what ~ said, what did ~ say, what did people say, catch up on: message conversation channel thread history chat
<channel>: channel
room, chat room: channel room
leave a remark, leave a note, leave a comment, remark, say something about, comment on, say ~ about, note on, feedback, opinion, annotate: comment create add annotation
mail, email, e-mail, inbox, letter, newsletter: email message mail
forward, pass along, hand on: forward send share
rights, read rights, write rights, admin rights, share, give ~ access, let ~ see, let ~ in, grant, allow, permit, let ~ edit, let ~ use, give ~ rights, open ~ up to: share permission grant access invite add allow member role
invite, bring ~ in, ask ~ to join, get ~ on board, add ~ to the team, onboard, welcome: invite add member user invitation
revoke, take ~ access, take away access, withdraw, off the team, left the company: remove revoke delete member user access permission
assign, put ~ in charge, in charge, hand ~ to, hand ~ over, responsible, give ~ to, whose job, make ~ owner, takes care of, who should do, delegate: assign assignee owner update
follow, subscribe, keep up with, stay up to date: follow subscribe watch
invite to, attend, guests, participants, who is coming, attendees: attendee event participant
someone, somebody, person, people, everybody, everyone, colleague, coworker, teammate, friend, folks, boss: user member people person contact
staff, employee, worker, workforce: employee user member people
customer list, client list: list customer contact record
customer, client, buyer, purchaser, shopper: customer contact client
lead, prospect: lead contact deal
company, firm, business, organization, employer: company organization account
team, crew, department: team group
my account, my profile, who am i, logged in as, am i logged in, signed in as: user account profile whoami me current
phoned, called, rang, spoke to, met with, had a call with, talked to: call engagement note activity log
phone number, email address, address book, contact details: contact phone email
password, login, credentials, passphrase, key, access code: password secret credential login item
log in, sign in, authenticate: login auth authenticate connect
log out, sign out, sign me out, log me out: logout session
vote, poll, survey, questionnaire, ask people: poll survey vote form
<mention>: user mention message
<email>: email user contact
<phone>: phone message
# Work and time
work on now, work on next, work on today, start with, next thing, to do, todo, to do list, chore, errand, things to do, job, still have to do, on my plate, what should i do next, next up: task todo issue item next
task 1, task 2, task 3, task 4, task 5: task
tick, finished number, all done, i am done, checklist, tick off, check off, cross off, done with, is done, mark ~ done, mark as finished, completed, finished, accomplished, ready: complete done status task update close
depends on, only begin after, can only start, waits for, blocked by, has to wait, before ~ can, prerequisite: dependency add link blocker depend
bug, problem, defect, something is broken, complaint, incident report, report a, file a, raise: issue create bug ticket
<ticket>: issue ticket
ticket, case: issue ticket
story, epic, feature request, backlog: issue backlog epic story project
sprint, iteration, cycle: sprint cycle iteration
lane, stage, phase, step: list column status state stage workflow
milestone, release, version: release milestone version
estimate, story points, effort, how complex, how hard, how difficult, complicated: complexity estimate point
urgent, important, priority, asap, critical: priority update
progress, how far along, how far has, how far is, status of, what is left, still open: status progress list
log ~ hours, book ~ hours, worked ~ hours, hours for, hours on, working hours, hours i worked, clock in, track my time, time spent, log my time, book my hours: timesheet worklog time entry track
remind me, reminder, wake me, don't let me forget: reminder schedule event notification
interview, standup, webinar, birthday, conference, appointment, meeting, calendar, diary, agenda, date with, get-together, call with, lunch with: event calendar meeting
schedule, book, plan, arrange ~ for, pencil in, reserve, put ~ in my calendar, every day, every week, every hour, every morning, every night, daily, weekly, at night, cron, periodically, recurring: schedule event create cron job trigger
free, busy, available, do i have time, when can we meet, a slot: availability freebusy event calendar
today, tomorrow, tonight, yesterday, this week, next week, last week, this month, last month, weekend, monday, tuesday, wednesday, thursday, friday, saturday, sunday: date event
<time>: time
wait, hold until, sleep for, until it appears, hang on: wait
vacation, holiday, days off, sick, ill, time off, pto, leave days: leave employee absence
salary, wages, pay slip, payslip, pay day, payday: payroll employee pay
automation, rule that, whenever, every time ~ happens, automatic, automatically: workflow automation trigger rule webhook
approve, sign off, green light, ok it, accept, let ~ pass: approve review accept
reject, decline, turn down, refuse, say no: reject decline deny
# Files and writing
.pdf: pdf document file
.doc, .docx, .odt, .rtf, word document, word file: document docx word
.xls, .xlsx, .ods, .csv, .tsv, excel, spreadsheet, worksheet, workbook, sheet: spreadsheet sheet table csv excel workbook file
.ppt, .pptx, .key, slides, slide deck, deck, powerpoint: presentation slide
.png, .jpg, .jpeg, .gif, .webp, .svg, .heic: image file picture
.mp3, .wav, .ogg, .m4a, .flac: audio file
.mp4, .mov, .avi, .mkv, .webm: video file
.zip, .tar, .gz, .rar, .7z: archive compress extract
.md, .markdown, .txt: file text markdown
.js, .ts, .tsx, .jsx, .py, .java, .go, .rs, .rb, .php, .c, .cpp, .cs: file code
.json, .yaml, .yml, .toml, .xml: json file
.html, .htm: html page file
.sql, .db, .sqlite: sql database query
folder, directory, subfolder, downloads, desktop, on disk, my disk, hard drive, drive: directory folder file path
make a folder, make a new folder, new folder, create a folder: create directory folder make
what is in my, in this folder, in the folder, in my downloads, which files, inside the folder: list directory file
where on my disk, where is the file, find the file, files named, files called: search file find
on my computer, on my machine, on my laptop, locally: local file
several files, multiple files, many files, several documents, all these files, in one go, at once, in bulk, in one step, these three, all three, many at a time: batch multiple bulk
load, fetch, retrieve, get me, get hold of, obtain, pull: get read fetch load download
save, store ~ to disk, to a file, write to disk: save write file export
upload, put ~ online, send up: upload import
download, save ~ from: download export
attachment, attached, enclosed file: attachment file
contract, agreement, cv, policy, document, doc, paper, text document, write-up, essay, page, article, wiki, manual, handbook: document page doc wiki
paragraph, sentence, passage, section: block text paragraph document
headline, heading, caption: title heading
row, line, entry, record, item: row record item entry
column: column field property list
property, attribute, characteristic: column field property
cell: cell range
table, list of, database: table database
note, notebook, scribble, memo, idea: note
bookmark, favorite, star, pin: bookmark favorite star pin
readme, source, source file: file content readme get repository
# Code
code, source code, program, script, function: code
repo, repository, project's code, code base, codebase: repository repo
get my own copy: fork
changes, what i changed, uncommitted, not saved: diff status commit change stash
save my changes, check in, put ~ under version control: commit add
who committed, last commits, commit history, recent commits, history of: log commit list
publish my commits, my commits, local commits, push: push commit
bring ~ up to date, sync: pull fetch sync
stage: add stage
branch, line of work, work on ~ separately: branch checkout create
switch branch, switch to branch, jump to, change over to: checkout switch select
version tag, mark ~ version: tag create
pr, mr, pull request, merge request, proposed change, suggested change, change request: pull request merge
collisions, collide, clash, merged without: conflict merge
look over ~ code, code review, review ~ changes, give feedback: review pull request comment
ci, pipeline, checks, tests pass, green, red, has ~ passed, build status, build passed: pipeline status job check workflow run build
rerun, run ~ again, try ~ again, once more, retry: rerun retry restart
run, execute, start, launch, fire up, kick off, trigger, invoke, begin, get ~ running, spin up: run execute start launch trigger
command, terminal, shell, command line, bash, console command: command shell execute terminal run
test, try: test run
style problems, style mistakes, formatting, style rules, coding style, smells, code quality, linter, style guide: lint eslint quality rule
crash, blow up, exception, stack trace, fails, error, went wrong, breaks, broke, trouble: error issue exception event failure log
breakpoint, step through, debugger: debug breakpoint
library, package, module, dependency, third-party: package library dependency
vulnerable, vulnerability, security hole, unsafe, weak spots, leak, secure, safe: vulnerability security scan secret
docs, documentation, reference, how to use, manual for, guide: documentation doc library search
api, interface, endpoint: api endpoint
client library, sdk, bindings: sdk generate client code
ui component, button, component, widget: component ui
design, mockup, layout, wireframe, prototype: design frame node
colors, palette, fonts, look and feel: style color theme variable
app, application, programme: app application
# Machines and clouds
server, machine, computer, box, vm, virtual machine, host: server instance vm machine host compute
rent, spin up a server, get a new server: create instance server deploy launch
put ~ online, put ~ on the internet, publish, release, ship, roll out, deploy, push live, make ~ public, get ~ out: deploy publish release create
website, site, web site, homepage, blog, web presence: site website page web
domain, web address, domain name: domain dns
name servers, dns: dns record zone
certificate, padlock, https: certificate ssl tls
container, docker, image: container image
pod, workload: pod get
cluster, k8s, kube: cluster kubernetes
from localhost, reach ~ from, tunnel, expose: port forward tunnel
bucket, blob, object storage, cloud storage: bucket storage object
queue, waiting messages: queue message
background job, worker, serverless, cloud function: worker function job lambda
cache, stale content, old content still showing: cache purge
environment variable, env var, setting, option, configuration, preferences, configured: config setting configuration environment variable
logs, log files, output of, what did ~ print: log get
how much memory, how much cpu, disk full, ram, traffic spike, metrics, numbers, figures, kpis, stats, statistics, load, utilisation, usage, how busy, memory use, cpu: metric usage statistics query performance
down, offline, unreachable, not reachable, not responding, service problem, is it just me: health status outage resource
alarm, pager, on call, on duty: alert incident oncall schedule monitor
not using, paying for but, oversized, underused, bigger than they need, idle, wasting, unused, too big: underused resource usage utilization unused
bill, spending, expenses, cloud bill, costs, budget: cost billing usage expense
subscription, plan, tier: subscription plan
quota, limit, allowance, credits left: quota limit usage credit balance
backup, back up, copy for safety, snapshot: backup snapshot dump
turn ~ on for, percent of people, switches, feature flag, flag, toggle, for everybody, for everyone, for all users, percent of users, rollout, a/b test, experiment: feature flag experiment toggle update
permissions, rights, role: permission role
keys, api key, access token, token: key token secret api
# Data
mongo, postgres, mysql, sqlite, sql, query: query database sql search
which tables, tables are, what tables: list table schema
columns does, what columns, structure of, fields are: describe schema table column
lookup by, speed up ~ lookup, quick lookup: index create
slow query, query slow, query plan, execution plan: explain plan query
rows where, entries where, rows that mention, mention, containing, with the word: search query find
similar, resemble, close to, by meaning, semantically: similarity search vector query
best answer, relevance: rerank rank
embed, embedding, vectors: vector embedding upsert
knowledge, facts, what i told you: memory knowledge entity graph observation
married, friends with, works for, works at, lives in, moved to, belongs to, connect, link, tie, associate, relate, relation between, hook up: connect link association relation create
model, neural network, ai model, machine learning: model
report, analysis, insight: report analyze query
visitors, visits, page views, traffic, hits, audience, clicks: analytics traffic report visitor pageview
ads, ad, advert, campaign, advertising: ad campaign
keywords, search engines, rank my, google ranking, seo, found on google: seo search keyword rank
# The web, pages and devices
internet, on the web, online, web search, the net, google who, google what: web search
<url>: url page fetch navigate scrape
news, headlines, elections, current affairs: news search
pictures, photos, images of, snapshot of: image photo picture
video, clip, film, footage, movie: video
film, record, record my screen, tape, screen recording, capture ~ on video: record video screencast start
take a picture, screenshot, screen shot, snap, capture, take a snapshot, photograph: screenshot capture snapshot image
song, music, tune, track, album, play, listen, melody: music song track play audio
transcribe, write out what, what was said, subtitles, captions, spoken: transcript transcribe speech subtitle
hotel, pharmacy, museum, cinema, hospital, supermarket, petrol station, where can i get, where can i eat, dinner, town, shops near, restaurant, cafe, near me, nearby, close by, around here, around me, in the area, places: place search nearby location poi
postcode, zip code, address, street, coordinates, latitude, longitude, where is ~ on the map: geocode address coordinate
middle, center, centre of: centroid center midpoint
reach ~ within, can i reach, within ~ minutes: isochrone
travel time, how long does it take, drive take, distance between, from each, to each: distance matrix directions duration
height above, above sea level: elevation
scientific, scholarly, studies, papers, research papers, academic, science: paper research scholar arxiv search
thorough, in depth, deep dive, thoroughly, with sources, comprehensive, exhaustive: research deep
quick answer, ask, question: ask search question answer
reason, think, think through, think hard, ponder, weigh up: think reason sequential thought
crawl, whole site, all pages, every page, entire website, spider: crawl map site
article, article text, text from, what does ~ page say, read this link, from this link, scrape, harvest, text of the page, content of the website: scrape extract content fetch
open, go to, visit, browse, navigate, head over, open the page, load the page: navigate open goto
go back, previous page, back button: back navigate
reload, refresh the page: reload refresh
click, press, tap, push the button, hit the button: click press tap
double click, double tap: click double tap
type, key in: type fill text input
press enter, press the key, hit enter, keyboard, shortcut: press key keyboard
scroll, scroll down, swipe, further down: scroll swipe
drag, pull ~ to, slide, slider: drag mouse move
hover, mouse over, move the mouse: hover mouse
choose, select, pick, dropdown, drop-down, option from: select choose option
pop-up, popup, dialog, confirm box, prompt box: dialog handle alert
script errors, javascript errors, errors on, javascript console, browser console, console: console log message
what requests, http traffic, network traffic: network request
blind people, blind, disabled, wheelchair, screen reader, everybody can use, usable for: accessibility audit
landing page, page speed: page audit performance
real users: rum user performance
phone, mobile, android, iphone, ios, smartphone, tablet, handset: mobile device phone app
window: window browser resize
# Money and trade
a bill, bill for, send the bill, invoice, bill a customer: invoice create
pay, payment, charge, paid, received, we received, money in, collect money: payment charge
his money, her money, their money, the money back, give ~ money back, money back, refund, reimburse: refund create credit note
owe, unpaid, outstanding, not paid, debts, debtors: invoice balance outstanding
assets, assets and debts, net worth, we own: balance sheet report
profit, business doing, loss, earnings, income, revenue, takings, turnover, sales figures: profit loss report revenue balance
tax, vat: tax
bank, bank account, transactions, statement: transaction bank account balance
quote, offer, proposal: quote
supplier, vendor: vendor supplier contact
product, goods, article, merchandise, item for sale: product item
stock, inventory, how many ~ left: inventory stock
order, purchase, bought, buy: order purchase product
discount, voucher, coupon, promo code, percent off: coupon discount promotion price
parcel, package arrive, shipping, delivery, delivered: shipment fulfillment order tracking
shop, store, web shop: shop store product
deal, sale: deal opportunity
share price, stocks, stock price, market: stock quote price market
currency, euros, dollars, exchange rate: currency exchange rate price
crypto, bitcoin, coin, wallet: crypto wallet coin balance
<money>: price amount payment
# More of daily work
put ~ back on, put ~ on top, on top of, replay ~ on: rebase apply
which lines, who wrote ~ line, line by line: blame
throw away my changes, drop my changes, discard my changes: reset restore clean checkout
since the last commit: diff status
what do people think, reviews, rating, stars: review rating
in the channel, in the thread, that thread: channel thread history reply
wrote last, posted last, said lately, recent messages, latest messages: history message list
all customers, all our customers, let everyone know, all followers, all subscribers, to everyone, to everybody: broadcast send message
planned maintenance, maintenance, quiet, silence, mute, snooze, no alarms, stop nagging: mute downtime silence
response time, requests per second, spikes, went up, peak, error rate: metric query performance monitor
where ~ time is spent, bottleneck, profiling, stutters, lags: performance trace profile
eats memory, memory leak, too much memory: heap snapshot memory performance
fails sometimes, fails now and then, unreliable, unstable, flaky, sometimes pass, only sometimes: flaky test
how much ~ tested, untested, covered by tests: coverage test report
simulator, virtual phone: simulator sim device emulator
turn on the simulator, boot: boot start
built files, build output, output files: artifact
undo ~ release, previous release, last good version: rollback version deploy
roadmap, long-term plan, goals, objectives: roadmap milestone project initiative
settle, resolved, solve, fixed, sorted out: resolve update close status
open again: reopen update
approval, approved by: approval approve
who approved: approval state
draft, not yet sent: draft
run some code, run this code, run this script, python script: run execute code script
requirements, spec, specification, prd: requirement spec parse prd
too easy, too hard, make ~ harder, make ~ simpler: scope complexity
course, lesson, teach me, learn about, tutorial, i want to learn: course learn lesson documentation
example code, usage example: example documentation
node, workflow template, ready-made: template node
key-value: kv
search index, indices, indexes: index indices
how ~ stored, storage used, disk usage, disk space: storage size stats
stored procedure, trigger that: function trigger
users of the database, database users: user manage
merge ~ into one row, group by: aggregate
import ~ from, read in, load ~ into: import insert load
change many, all rows, every row: update many batch bulk
by meaning, meaning similar: search vector
we owe, bills to pay, unpaid bills: payable aged bill
bookkeeping, ledger, accounts, journal: journal account ledger trial balance
credit note: credit note
price list, things we sell: item product list
expense claim, receipt: receipt expense bank transaction
earn, worked, overtime: payroll timesheet
relationship between, belongs to the company: association
custom field, extra field, own field: property field custom create
phone call: call engagement note
area of, how big is the area, surface: area
shape, region, zone on the map, polygon: polygon area
zone around, radius, within ~ km, within ~ miles, circle around: buffer radius nearby
straight line: distance
halfway, meet in the middle: midpoint
best order to visit, round trip, visit all, several stops: optimization route
markers, pins, pin on a map, dots on a map: pin map marker static
which street, what is at, which address: reverse geocode
opening hours, when does ~ open, when does ~ close, is ~ open, phone number of the place, about this place: place details
climb, hill, mountain: elevation
boss of, hierarchy of: organization chart
on a mobile, on a small screen, as a phone, mobile view, dark mode, screen size: emulate resize
user agent, pretend to be a browser: user agent
text on the page, visible text: text snapshot content
what is on the screen, on screen: screen elements snapshot screenshot list
as a pdf, print ~ page, print to pdf: pdf save
cookies, local storage, session storage: storage cookie browser
link, hyperlink, sitemap, which pages: link map url
comments under, what ~ commented: comment list
credit, remaining: credit quota balance usage
secret, hide a password, store a password: secret put create
domain of my own, own domain, custom domain: domain custom
used in the code, where ~ used, usages, who uses, who calls, where ~ called: references search code
definition of the function: definition semantics
audit trail, paper trail, who did what, what did ~ do: audit log activity
pretend ~ answers, pretend ~ returns, canned response, fake api, fake backend, fake server, stand-in for: mock server create
collection of requests, saved requests: collection request
draw me, a picture of, draw ~ picture, an image of, portrait of, icon, logo, wallpaper, poster: image generate picture
in the folder, in the directory, inside my, inside the, what's in my: list directory content
put ~ into, write ~ into, text into, into the file: write update create add
not committed, uncommitted changes: status diff
how high, summit, peak of, altitude, mountain, climb: elevation
how far could, how far can: isochrone distance
has to pay, have to pay, who still owes, who owes, owes us, late payers, overdue invoices, customers owe: receivable aged invoice list
bill ~ for, charge ~ for: invoice create
ask the, ask my: query
guideline, best practice, rules of thumb, recommendations: practice guideline rule documentation
time zone, timezone, time difference, in tokyo: timezone time convert
pause, suspend, on hold, hold off: pause suspend hold
cherry-pick, one commit from, bring the commit, that commit over: cherry pick
backup of, dump of: export dump backup
look in the docs, official docs, the docs: documentation doc library query
type does ~ have, data type: schema mapping field
weekly status, status update, progress report: update status project create
tracker: project issue
wired, set up correctly: validate
is connected, connections: connection session monitor
end-to-end: test run
done yet, finished yet, still going: status latest
error lines, error messages: log error
ending in, ending with, starting with: search file
close ~ app, quit the app: terminate close app
left to do: task list todo
as a note: comment note add
under another, below another, another parent: move parent
accept ~ into, take ~ into: merge
propose, for review: pull request merge create
answer in the discussion: comment note reply add
stick ~ onto, as a file: attachment upload attach
tag on, label on: label add
next version of: release create version
call: call engagement
no two, unique, same ~ twice: constraint unique index
last build, has ~ passed: pipeline status build
put ~ before, put ~ after, to the top, to the end: position move order
on and off: toggle feature flag
embedded: iframe
text box, input field, into the ~ box: fill type input
still mentioned, still used: reference
page's source, source of the page, html: html content
change the status: status update
their changes: pull fetch
checkup, check-up: audit
load so slowly, loads slowly: performance audit
by region, regions of, per country: district map region
world, capital of, population of, president, who won, how tall, recipe, famous: search web
mend, repair, broken, fix it, corrupt: repair fix update reset
agree, fine by me, looks good, lgtm: approve review
escalate: priority update
prolong, extend, renew, longer: update date extend
half done, in progress, working on, work on it: status assignee progress
hand over, hand it to, take over: assign assignee owner update
feature, wish, suggestion: issue create feature request
bring ~ up to the latest, latest state, my copy: pull fetch sync
front page, home page, address bar: navigate page
poem, essay, letter, to my desktop, on my desktop: file write text
last changed, last modified: file info date history
mail address, phone number of, address of ~ person: user profile contact
my work, unfinished work: commit changes save
my own version: fork
reviewer: review comment
end in: search file
line of development: branch create
can't begin, can't start, must be done before, comes after: dependency add
sticker: label add
by month and, per customer, sum them, add them up by: aggregate group sum
visitors experience, experience: rum performance
rights on: user permission manage
room for, group chat: chat create
package on, onto the cluster, put ~ on the cluster: install
forbid, prevent: deny constraint block
take ~ off the cluster: uninstall
`;
