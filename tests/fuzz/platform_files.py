# SPDX-License-Identifier: MIT

"""SimGrid's platforms. SimGrid reads them; Python's expat decides which of them are XML."""

import json
import xml.parsers.expat

from form import Form
from processes import Finding
from readers import Refused, Unclear


class PlatformFile(Form):
    name = file = "platform.xml"
    text = True

    def make(self):
        random = self.random
        kind = random.randrange(2)
        hosts = random.randint(4, 6)
        if kind == 0:
            body = (f'<cluster id="c" prefix="n" radical="0-{hosts - 1}" suffix="" speed="1Gf" '
                    f'bw="125MBps" lat="50us"/>')
        else:
            body = '<zone id="z" routing="Full">'
            body += "".join(f'<host id="h{i}" speed="1Gf" core="{random.randint(1, 4)}"/>'
                            for i in range(hosts))
            body += '<link id="l" bandwidth="125MBps" latency="50us"/>'
            body += "".join(
                f'<route src="h{i}" dst="h{k}"><link_ctn id="l"/></route>'
                for i in range(hosts) for k in range(i + 1, hosts))
            body += "</zone>"
        head = ('<?xml version="1.0"?>\n'
                '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
                '<platform version="4.1">\n')
        return f"{head}{body}\n</platform>\n".encode(), {}

    def words(self, context):
        return ["simulate", "--engine", "simgrid", "-N", 16, "-p", 4, "--platform", self.file,
                "--json"]

    def read(self, content, context):
        parser = xml.parsers.expat.ParserCreate()
        try:
            parser.Parse(content, True)
        except xml.parsers.expat.ExpatError as failure:
            raise Unclear(f"expat refuses it: {failure}") from None
        return content

    def compare(self, seen, outcome, context):
        seconds = json.loads(outcome.out)["simulated_seconds"]
        if seconds is None or not seconds >= 0:
            raise Finding(f"it takes {seconds} seconds")

    def stricter(self, seen, context):
        return "SimGrid knows elements and attributes"


FORMS = (PlatformFile,)
