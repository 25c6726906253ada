// SPDX-License-Identifier: MIT

#include "page_style.hpp"

#include "bracket/support/text.hpp"
#include "inks.hpp"

namespace bracket::viz {

namespace {

std::string variables(std::string_view Ink::*colour) {
  std::string all;
  const auto add = [&](const Ink& ink) { all += text(ink.variable, ':', ink.*colour, ';'); };
  for (const Ink& ink : {page_ink, text_ink, quiet_ink, grid_ink, panel_ink}) add(ink);
  for (const Ink& ink : series_inks) add(ink);
  return all;
}

constexpr const char* rules = R"(
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem clamp(1rem,3vw,3rem) 4rem;max-width:110rem;background:var(--page);
color:var(--text);font:1rem/1.5 system-ui,sans-serif}
h1{margin:0 0 .75rem;font-size:1.6rem;line-height:1.25}
h2{margin:2.5rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--grid);font-size:1.25rem}
p{margin:.25rem 0;max-width:60rem}
pre{margin:0;padding:.75rem 1rem;overflow:auto;background:var(--panel);border-radius:.4rem;
font:.85rem/1.45 ui-monospace,monospace}
pre.command{white-space:pre-wrap;overflow-wrap:anywhere}
details pre{max-height:24rem}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.1rem 1rem;margin:1rem 0 0;
font-size:.9rem}
dt{color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere}
.beside{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem 2.5rem;align-items:start;
margin-top:1rem}
@media(min-width:80rem){.beside{grid-template-columns:repeat(2,minmax(0,1fr))}}
.beside>:only-child{grid-column:1/-1}
figure{margin:0;overflow-x:auto}
figure svg{display:block;width:100%;min-width:32rem;max-width:54rem;height:auto}
figcaption{margin-bottom:.25rem;font-weight:600}
.note{color:var(--quiet);font-size:.9rem}
.table{overflow:auto;max-height:30rem;border:1px solid var(--grid);border-radius:.4rem}
table{border-collapse:collapse;width:100%;font-size:.88rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .7rem;text-align:left;white-space:nowrap}
th{position:sticky;top:0;background:var(--panel);font-weight:600}
tbody tr+tr td{border-top:1px solid var(--grid)}
.number{text-align:right}
.long{white-space:normal;min-width:9rem}
details{margin-top:.75rem}
summary{cursor:pointer}
:focus-visible{outline:2px solid var(--series-1);outline-offset:2px}
@media print{.table,details pre{max-height:none}}
)";

}  // namespace

std::string page_style() {
  return text(":root{color-scheme:light dark;", variables(&Ink::light),
              "}\n@media(prefers-color-scheme:dark){:root{", variables(&Ink::dark), "}}", rules);
}

}  // namespace bracket::viz
