"""Chromium, steered by chromedriver through Selenium, all from Debian: pages with what they complained about."""

import base64
import json
import os
import re
import subprocess
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

WAIT_SECONDS = 30
# Chromium's developer tools hold axe-core, which judges accessibility, as a text within this file.
AXE_HOLDER = "devtools://devtools/bundled/third_party/lighthouse/lighthouse-dt-bundle.js"
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
KEYS = {"ArrowRight": Keys.ARROW_RIGHT, "ArrowLeft": Keys.ARROW_LEFT, "Tab": Keys.TAB}


def start():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    options.add_argument("--headless=new")
    options.add_argument("--disable-dev-shm-usage")
    if os.getuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium refuses root otherwise
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Page:
    """One page in a browser of its own; a context manager."""

    def __init__(self, file, scratch, width=1280, height=900, phone=False):
        self.scratch = scratch
        self._complaints = []
        self.driver = start()
        try:
            self.driver.set_script_timeout(600)
            self.devtools(
                "Emulation.setDeviceMetricsOverride",
                width=width,
                height=height,
                deviceScaleFactor=2 if phone else 1,
                mobile=phone,
            )
            self.devtools("Emulation.setTouchEmulationEnabled", enabled=phone)
            self.driver.get(f"file://{file}")
        except BaseException:
            self.driver.quit()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def devtools(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def js(self, code, *arguments):
        """What `return`s from this function body of JavaScript; promises are waited for."""
        return self.driver.execute_script(code, *arguments)

    def text(self, selector):
        """An element's text, whether it is in view or not."""
        return self.js("return document.querySelector(arguments[0]).textContent", selector)

    def wait_for(self, selector):
        end = time.monotonic() + WAIT_SECONDS
        while not self.js("return !!document.querySelector(arguments[0])", selector):
            if time.monotonic() > end:
                raise AssertionError(f"{selector} did not appear within {WAIT_SECONDS} s")
            time.sleep(0.02)

    def load(self, *files):
        """Opens run files as a person does, and waits until they are read."""
        self.js("document.getElementById('main').dataset.done = ''")
        self.driver.find_element(By.ID, "files").send_keys("\n".join(files))
        self.js("return new Promise(resolve => setTimeout(resolve, 50)).then(() => opening).then(() => null)")

    def view(self, name):
        self.js("location.hash = arguments[0]", name)
        self.wait_for(f".view.{name.split('/')[0]}")

    def choose(self, selector, value):
        Select(self.driver.find_element(By.CSS_SELECTOR, selector)).select_by_value(str(value))

    def press(self, key):
        ActionChains(self.driver).send_keys(KEYS.get(key, key)).perform()

    def type(self, selector, text):
        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        element.click()
        element.send_keys(text)

    def clear(self, selector):
        self.driver.find_element(By.CSS_SELECTOR, selector).send_keys(Keys.CONTROL + "a", Keys.BACKSPACE)

    def point_at(self, x, y):
        mouse = ActionBuilder(self.driver)
        mouse.pointer_action.move_to_location(int(round(x)), int(round(y)))
        mouse.perform()

    def scheme(self, name):
        """Light or dark, as the system prefers; "" leaves it to the browser."""
        self.devtools(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}] if name else []
        )

    def shot(self, name, whole=False):
        parameters = {}
        if whole:
            size = self.devtools("Page.getLayoutMetrics")["cssContentSize"]
            parameters = {
                "captureBeyondViewport": True,
                "clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1},
            }
        data = self.devtools("Page.captureScreenshot", **parameters)["data"]
        with open(os.path.join(self.scratch, f"{name}.png"), "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self):
        """The page on A4, in bytes."""
        return base64.b64decode(self.devtools("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])

    def complaints(self):
        """Errors and warnings since the page was opened, and everything that it asked the network for."""
        for entry in self.driver.get_log("browser"):
            if entry["level"] in ("SEVERE", "WARNING"):
                self._complaints.append(entry["message"])
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not re.match("(file|data|blob):", url):
                    self._complaints.append(f"asked for {url}")
        return self._complaints

    def no_complaints(self, wrong):
        wrong.check(not self.complaints(), "; ".join(self._complaints))


# ---- Judges ------------------------------------------------------------------------------------------


def axe_source():
    """axe-core's own text, out of Chromium's developer tools."""
    driver = start()
    try:
        driver.get(AXE_HOLDER)
        # Not the document's text, which the browser now and then shows before all of it has come.
        bundle = driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "fetch(location.href).then(answer => answer.text()).then(done, wrong => done(String(wrong)))"
        )
        literal = re.search(r"`/\*! axe v(?:[^`\\]|\\.)*`", bundle, re.DOTALL)
        if not literal:
            raise AssertionError(f"this Chromium has no axe-core in {AXE_HOLDER}: {bundle[:200]!r}")
        return driver.execute_script(f"return {literal[0]}")
    finally:
        driver.quit()


def accessible(page, axe, where, wrong):
    """No rule of WCAG 2.1, levels A and AA, is broken, as far as axe-core can see."""
    page.js(axe)
    result = page.js(
        "return axe.run(document, {runOnly: arguments[0]}).then("
        "({passes, violations}) => ({passes: passes.length, violations}))",
        AXE_RULES,
    )
    wrong.check(result["passes"] > 10, f"axe looked at nothing of {where}")
    for violation in result["violations"]:
        nodes = "; ".join(
            f"{node['target']} {(node['any'] or [{}])[0].get('message', '')}" for node in violation["nodes"][:3]
        )
        wrong.check(False, f"{where}: {violation['id']}: {violation['help']}: {nodes}")


# HTML of the living standard that tidy, of 2017, does not know yet.
NEWER_ELEMENTS = "dialog"


def valid(markup, where, wrong):
    """tidy finds neither an error nor a warning."""
    done = subprocess.run(
        [
            "tidy",
            "-quiet",
            "-errors",
            "-utf8",
            "--show-errors",
            "1000",
            "--new-blocklevel-tags",
            NEWER_ELEMENTS,
            "--drop-empty-elements",
            "no",
        ],
        input=markup.encode(),
        capture_output=True,
        check=False,
    )
    wrong.check(done.returncode in (0, 1, 2), f"{where}: tidy ended with {done.returncode}: {done.stderr[:300]!r}")
    for line in done.stderr.decode().splitlines():
        if re.search(r" - (Error|Warning): ", line):
            wrong.check(False, f"{where}: {line}")
