"use strict";
(() => {
  const id = (name) => document.getElementById(name);
  const questions = [...document.querySelectorAll(".question")];
  const touched = new Set();

  // A line of JSON in which nothing is left that a shell, or a terminal it is pasted into, could take for its own.
  const unsafe = {
    posix: /["\\\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]/g,
    powershell: /[^A-Za-z0-9 .,:_-]/g,
  };
  const json = (text, shell) =>
    '"' + text.replace(unsafe[shell], (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0")) + '"';
  const quoted = {
    posix: (text) => "'" + text.replace(/'/g, "'\\''") + "'",
    powershell: (text) => '--% "' + text.replace(/"/g, '\\"') + '"',
  };

  const chosen = (question) => question.querySelector("input[type=radio]:checked");
  const own = (question) => question.querySelector(".own");
  const value = (question, shell) => {
    const choice = chosen(question).value;
    if (choice === "text") return json(own(question).value, shell);
    return choice === "true" ? "true" : json(choice, shell);
  };
  const answered = () =>
    questions.filter((question) => {
      const choice = chosen(question);
      if (!touched.has(question) || !choice) return false;
      return choice.value !== "text" || own(question).value.trim() !== "";
    });

  function writeLine() {
    const shell = id("shell").value;
    const given = answered();
    const pairs = given.map((question) => json(question.dataset.handle, shell) + ":" + value(question, shell));
    const line = pairs.length ? id("line").dataset[shell] + quoted[shell]("{" + pairs.join(",") + "}") : "";
    id("line").value = line;
    for (const question of questions) {
      const badge = question.querySelector(".badge");
      badge.textContent = given.includes(question) ? "answered" : badge.dataset.name;
      badge.classList.toggle("open", badge.dataset.state === "open" && !given.includes(question));
    }
    id("take").hidden = !line;
    const count = given.length === 1 ? "1 answer" : given.length + " answers";
    const open = questions.filter((question) => question.dataset.state === "open" && !given.includes(question)).length;
    const long = line.length > 8000 ? " The line is longer than some agents take: hand it over in parts." : "";
    id("answers").textContent = line
      ? count + "; " + open + " of the questions still open." + long
      : "None yet. What you choose above becomes one line to run.";
  }

  function touch(event) {
    const question = event.target.closest(".question");
    if (!question) return;
    if (event.target.matches(".own")) question.querySelector("input[value=text]").checked = true;
    touched.add(question);
    question.querySelector(".forget").hidden = false;
    const text = own(question);
    if (text) text.hidden = chosen(question).value !== "text";
    writeLine();
  }

  function forget(event) {
    if (!event.target.matches(".forget")) return;
    const question = event.target.closest(".question");
    touched.delete(question);
    for (const input of question.querySelectorAll("input")) input.checked = input.defaultChecked;
    const text = own(question);
    if (text) {
      text.value = text.defaultValue;
      text.hidden = true;
    }
    event.target.hidden = true;
    (chosen(question) || question.querySelector("input")).focus();
    writeLine();
  }

  function filter() {
    const wanted = ["kind", "type", "state"].map((name) => [name, id(name).value]).filter(([, value]) => value);
    let shown = 0;
    for (const question of questions) {
      question.hidden = !wanted.every(([name, value]) => question.dataset[name] === value);
      if (!question.hidden) shown += 1;
    }
    id("count").textContent = shown + " of " + questions.length + " shown";
  }

  async function copy() {
    const line = id("line");
    line.focus();
    line.select();
    let done = false;
    try {
      await navigator.clipboard.writeText(line.value);
      done = true;
    } catch {
      done = document.execCommand("copy");
    }
    id("answers").textContent = done ? "Copied. Paste it into a terminal." : "Not copied: press Ctrl+C, the line is selected.";
  }

  const dark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const nameTheme = () => (id("theme").textContent = dark() ? "Light theme" : "Dark theme");
  id("theme").hidden = false;
  id("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    nameTheme();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", nameTheme);
  id("questions").addEventListener("input", touch);
  id("questions").addEventListener("click", forget);
  for (const name of ["kind", "type", "state"]) id(name).addEventListener("change", filter);
  id("shell").addEventListener("change", writeLine);
  id("copy").addEventListener("click", copy);
  nameTheme();
  filter();
  writeLine();
})();
