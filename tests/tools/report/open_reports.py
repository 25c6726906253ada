#!/usr/bin/env python3
# SPDX-License-Identifier: MIT

"""Makes a report of every command that has --report, and opens all in one headless Chromium.

Usage: open_reports.py BRACKET CHROMIUM MPIEXEC NUMPROC_FLAG [--pictures FOLDER]

Each page must open without a console message, an exception or a request, be below 1 MB, fit into
narrow and wide windows, and be readable in the light and in the dark colour scheme without
JavaScript. --pictures keeps a picture of each page in both schemes. Only Python's own library is
used: Chromium speaks its DevTools protocol over two pipes.
"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HOSTILE = "<script>alert(1)<!--'\"{}%_^]]>&amp; µ.json"

# Script that inspects a page. The pages themselves have no scripts.
INSPECT = r"""
(() => {
  const channels = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map(Number);
  const light = (colour) => channels(colour)
    .map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const page = getComputedStyle(document.body).backgroundColor;
  const words = [...document.querySelectorAll("h1, h2, p, td, dt, dd, figcaption, summary")];
  // Texts in the cells of a heat map stand on the colours of the cells.
  const labels = [...document.querySelectorAll("svg text")].filter((text) =>
    !text.parentElement.matches('[fill="rgb(1,1,1)"], [fill="rgb(254,254,254)"]'));
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  const texts = labels.map((text) => text.getBoundingClientRect());
  return {
    page,
    least: Math.min(...words.map((element) => contrast(getComputedStyle(element).color, page)),
                    ...labels.map((text) => contrast(getComputedStyle(text).fill, page))),
    lines: Math.min(99, ...[...document.querySelectorAll("svg use")].map((marker) =>
      contrast(getComputedStyle(marker).color, page))),
    figures: document.querySelectorAll("figure svg").length,
    labels: labels.length,
    smallest: Math.min(...texts.map((box) => Math.max(box.height, box.width))),
    tables: document.querySelectorAll("table").length,
    cells: document.querySelectorAll("td").length,
    csv: document.querySelectorAll("details pre").length,
    command: document.querySelector("pre.command").textContent,
    twice: ids.filter((id, i) => ids.indexOf(id) !== i),
    missing: [...document.querySelectorAll("use")].filter((use) =>
      !document.getElementById(use.getAttribute("xlink:href").slice(1))).length,
    loaded: document.querySelectorAll("script, link, img, iframe, object, embed, base, form").length,
    wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  };
})()
"""


class Chromium:
    """A headless Chromium and its DevTools protocol: JSON with a zero byte after each message."""

    def __init__(self, program, profile):
        to_read, self.to = os.pipe()
        self.come, to_write = os.pipe()

        def descriptors():  # numbers that Chromium expects
            high = [os.dup(descriptor) for descriptor in (to_read, to_write)]
            # dup gives the lowest free numbers, which may be those that are replaced next.
            while high[0] < 5 or high[1] < 5:
                high = [os.dup(descriptor) for descriptor in high]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--remote-debugging-pipe",
             f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number = 0
        self.bytes = b""
        self.events = []
        target = next(target for target in self.call("Target.getTargets")["targetInfos"]
                      if target["type"] == "page")
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.bytes:
            more = os.read(self.come, 1 << 20)
            if not more:
                raise SystemExit("Chromium ended")
            self.bytes += more
        message, _, self.bytes = self.bytes.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, address):
        self.events = []
        self.call("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())

    def inspect(self):
        result = self.call("Runtime.evaluate", expression=INSPECT, returnByValue=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"the page cannot be inspected: {result['exceptionDetails']}")
        return result["result"]["value"]

    def end(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(20)


def make_reports(bracket, mpiexec, folder):
    """Runs the commands, and returns the reports with the least numbers of figures and tables."""
    hostile = folder / HOSTILE

    def run(*words, ranks=1, code=0, **more):
        start = [*mpiexec, str(ranks)] if ranks > 1 else []
        done = subprocess.run([*start, bracket, *words], cwd=folder, check=False,
                              capture_output=True, text=True, timeout=200, **more)
        if done.returncode != code or "gnuplot>" in done.stderr:
            raise SystemExit(f"{words}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    run("verify", "-N", "100", "-p", "3", "-o", str(hostile))
    rows = run("run", "--synthetic", "5000", "--plan", "direct,aggregated", "--repetitions", "5",
               "--json", ranks=2)
    rows += run("run", "--synthetic", "50", "--repetitions", "5", "--json")
    (folder / "rows.jsonl").write_text(rows)
    for rows in ("100", "101"):
        run("record", "-o", rows, "--", str(pathlib.Path(bracket).parent / "cg_cpp"), "mpi", rows, "5")
    quick = ["--repetitions", "3", "--warm-up", "1"]
    commands = [
        (["compare", "-N", "5000", "-p", "1,2", "--plan", "direct,aggregated", "--starts", "1",
          "--oversubscribe", *quick], 1, 7, 2),
        (["simulate", "--schedule", HOSTILE, "--engine", "loggops", "--finish"], 1, 2, 1),
        (["simulate", "-N", "1000", "--engine", "loggops", "--sweep", "p=1:64:log:7", "--sweep",
          "latency=1e-7:1e-5:log:3", "--plan", "direct,aggregated"], 1, 3, 1),
        (["tune", "-N", "1000", "-p", "8", "--plan", "all", "--explain"], 1, 2, 1),
        (["tune", "-N", "1000", "-p", "8", "--front"], 1, 2, 1),
        (["tune", "-N", "1000:4000", "-p", "4"], 1, 1, 1),
        (["bench", "-N", "100,5000", "--candidates", "direct,binned", *quick], 2, 2, 1),
        (["calibrate", "--quick", "--operations", "float32"], 2, 5, 6),
        (["validate", "rows.jsonl"], 1, 5, 2),
        (["diff", "100", "101"], 1, 1, 1),
        (["cost", "100"], 1, 1, 3),
        (["digits", "--synthetic", "5000"], 1, 1, 1),
        (["reveal", "--items", "1,9", "--algorithms", "default", "--time", *quick], 2, 2, 1),
        (["figures", "--quick", "--only", "thesis-figure-3.7,rabenseifner-traeff-figure-4,"
          "demmel-nguyen-error"], 1, 4, 3),
    ]
    pages = []
    for words, ranks, figures, tables in commands:
        name = f"{len(pages) + 1}-{words[0]}.html"
        run(*words, "--report", name, ranks=ranks, code=1 if words[0] == "diff" else 0)
        pages.append((folder / name, figures, tables))
    return pages


def check(chromium, page, figures, tables, pictures):
    def expect(condition, what):
        if not condition:
            raise SystemExit(f"{page.name}: {what}")

    expect(page.stat().st_size < 1_000_000, "is not below 1 MB")
    seen = {}
    for scheme, width in (("light", 1400), ("dark", 1400), ("light", 380), ("dark", 380)):
        chromium.call("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": scheme}])
        chromium.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                      deviceScaleFactor=1, mobile=False)
        chromium.open(page.as_uri())
        shown = chromium.inspect()
        where = f"{scheme}, {width} pixels wide: "
        for event in chromium.events:
            method = event["method"]
            expect(method not in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown",
                                  "Log.entryAdded", "Page.javascriptDialogOpening"),
                   f"{where}{event}")
            if method == "Network.requestWillBeSent":
                expect(event["params"]["request"]["url"] == page.as_uri(), f"{where}{event}")
        expect(shown["loaded"] == 0, f"{where}has elements that load something")
        expect(shown["least"] >= 4.5, f"{where}a text has a contrast of {shown['least']} to 1")
        expect(shown["lines"] >= 3, f"{where}a marker has a contrast of {shown['lines']} to 1")
        expect(shown["figures"] >= figures and shown["labels"] > 3 * figures,
               f"{where}{shown['figures']} figures with {shown['labels']} texts")
        expect(shown["tables"] >= tables and shown["csv"] >= tables and
               shown["cells"] > 3 * tables, f"{where}{shown['tables']} tables")
        expect(shown["smallest"] >= 9, f"{where}a text is {shown['smallest']} pixels large")
        expect(shown["wider"] <= 0, f"{where}the page is {shown['wider']} pixels too wide")
        expect(not shown["twice"] and shown["missing"] == 0,
               f"{where}identifiers: {shown['twice']} twice, {shown['missing']} missing")
        expect(page.name in shown["command"], f"{where}the command is {shown['command']}")
        if width > 1000:
            seen[scheme] = shown["page"]
            if pictures:
                size = chromium.call("Page.getLayoutMetrics")["cssContentSize"]
                picture = chromium.call("Page.captureScreenshot", captureBeyondViewport=True,
                                        clip={"x": 0, "y": 0, "width": size["width"],
                                              "height": size["height"], "scale": 1})
                (pictures / f"{page.stem}-{scheme}.png").write_bytes(
                    base64.b64decode(picture["data"]))
    expect(seen["light"] != seen["dark"], f"both schemes have the background {seen['light']}")


def main():
    bracket, chromium_program, mpiexec, flag = sys.argv[1:5]
    pictures = pathlib.Path(sys.argv[6]) if sys.argv[5:6] == ["--pictures"] else None
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        pages = make_reports(bracket, [mpiexec, flag], folder)
        chromium = Chromium(chromium_program, folder / "profile")
        for page, figures, tables in pages:
            check(chromium, page, figures, tables, pictures)
        chromium.end()
    print(f"{len(pages)} reports")


main()
