#include "report/html_parts.hpp"

namespace headway::report {

// Without quotes, angle brackets and ampersands, which the writer would escape. Colours of text on background have a
// contrast of 4.5 or more, in both schemes.
const std::string_view html_style = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --faint: #57606a; --paper: #ffffff; --card: #f6f8fa;
  --line: #d0d7de; --good: #1a7f37; --bad: #b3261e; --waiting: #8a5a00; --link: #0757b5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --faint: #9ba5b0; --paper: #0d1117; --card: #161b22;
  --line: #3a424c; --good: #4cc764; --bad: #ff8a80; --waiting: #e3b341; --link: #79b8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; } h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
h2, .row { display: flex; justify-content: space-between; gap: 1rem; }
section, .mistake { border: 1px solid var(--line); border-radius: .5rem; padding: .25rem 1rem 1rem; margin: 1rem 0; }
.mistake { background: var(--card); border-left: .35rem solid var(--bad); padding-bottom: .25rem; }
.mistake.unnamed { border-left-color: var(--waiting); }
.faint { color: var(--faint); } .good { color: var(--good); } .bad { color: var(--bad); }
.small { font-size: .85rem; } .waiting { color: var(--waiting); } a { color: var(--link); }
code, pre, kbd { font-family: ui-monospace, monospace; font-size: .9em; }
kbd { background: var(--card); border: 1px solid var(--line); border-radius: .25rem; padding: .1rem .4rem; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem; overflow-x: auto;
  white-space: pre; max-height: 24rem; }
p { margin: .4rem 0; overflow-wrap: anywhere; }
ul.tests { list-style: none; padding: 0; } ul.tests li { border-top: 1px solid var(--line); padding: .4rem 0; }
.points { white-space: nowrap; font-variant-numeric: tabular-nums; }
ol.stages { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .4rem; }
ol.stages li { border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .6rem; background: var(--card); }
ol.stages li.wrong { border-color: var(--bad); } ol.stages li.first { border: 2px solid var(--bad); }
ol.stages span { display: block; font-size: .8rem; }
.maps { display: flex; flex-wrap: wrap; gap: 1rem 1.5rem; }
.map { position: relative; overflow-x: auto; max-width: 100%; } .map table { border-collapse: separate; border-spacing: 1px; }
.map caption { text-align: left; font-size: .85rem; color: var(--faint); }
.map th { font: .65rem/1 ui-monospace, monospace; color: var(--faint); font-weight: 400; padding: .1rem .2rem; }
.map th.turned { writing-mode: vertical-rl; text-align: left; vertical-align: bottom; transform: rotate(180deg); }
.map th[scope=row] { text-align: right; }
.map td { font: .62rem/1.6 ui-monospace, monospace; text-align: center; min-width: 1.2rem; height: 1.2rem; padding: .05rem .2rem; }
.map td.wrong { outline: 1.5px solid #d1242f; outline-offset: -1.5px; }
.map td.strange { background: #ffd33d; color: #000; }
.numbers { overflow-x: auto; } .numbers table { border-collapse: collapse; }
.numbers th, .numbers td { text-align: right; padding: .1rem .7rem; border-bottom: 1px solid var(--line); }
.numbers caption { text-align: left; color: var(--faint); padding-bottom: .4rem; max-width: 46rem; }
.list { overflow-x: auto; margin: .6rem 0; } .list table { border-collapse: collapse; }
.list th, .list td { text-align: left; vertical-align: top; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid var(--line); }
.list .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
@media (max-width: 40rem) { .list th, .list td { padding-right: .5rem; font-size: .9rem; } }
.list ul { list-style: none; margin: 0; padding: 0; }
svg.bars { display: block; width: 100%; max-width: 34rem; height: auto; margin: .6rem 0; }
svg.bars rect { fill: var(--link); } svg.bars text { fill: currentColor; font: 11px system-ui, sans-serif; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.next { border: 2px solid var(--good); border-radius: .5rem; padding: .5rem 1rem; }
)";

}  // namespace headway::report
