"use strict";
(() => {
  const id = (name) => document.getElementById(name);
  const all = (query, within = document) => [...within.querySelectorAll(query)];
  const cards = all(".card[data-handle]");
  const byHandle = new Map(cards.map((card) => [card.dataset.handle, card]));
  let phase = "asking";

  // Every act is one POST; what it answers is the whole state, so that two tabs and a reload always agree.
  async function send(path, body = {}) {
    id("error").textContent = "";
    try {
      const reply = await fetch(path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      const found = await reply.json();
      if (!reply.ok) throw new Error(found.error);
      show(found);
      return found;
    } catch (error) {
      id("error").textContent = error instanceof TypeError ? "dream.py is not running any more; your answers are kept." : error.message;
      return null;
    }
  }

  async function look() {
    if (document.hidden) return;
    try {
      show(await (await fetch("state")).json());
    } catch {
      /* the next look, or the next click, says so */
    }
  }

  function show(state) {
    phase = state.phase;
    id("foot").textContent = state.foot;
    for (const [handle, item] of Object.entries(state.items || {})) {
      const card = byHandle.get(handle);
      if (card) showItem(card, item);
    }
    if (id("apply")) {
      id("apply").disabled = phase !== "asking" || !state.changes;
      id("undo").hidden = phase !== "applied";
      for (const button of all(".answers button, .own button, .alike button")) button.disabled = phase !== "asking";
      filter();
    }
    if (phase === "ended") for (const button of all("button")) button.disabled = true;
  }

  function showItem(card, item) {
    card.dataset.state = item.state;
    card.querySelector(".state").textContent = item.label;
    for (const button of all("[data-answer]", card)) {
      button.setAttribute("aria-pressed", String(button.dataset.answer === item.answer));
    }
    card.querySelector(".clear").hidden = item.answer === null;
    drops(card, item.drops);
  }

  function drops(card, list) {
    const line = card.querySelector(".drops");
    line.hidden = !list.length;
    line.querySelector("span").textContent = list.join(", ");
  }

  function answer(handles, value) {
    return send("answer", { answers: Object.fromEntries(handles.map((handle) => [handle, value])) });
  }

  const meant = (value) => (value === "true" ? true : value);

  function click(event) {
    const button = event.target.closest("button");
    if (!button) return;
    const card = button.closest(".card");
    const alike = button.closest(".alike");
    if (alike) answer(alike.dataset.handles.split(" "), meant(button.dataset.answer));
    else if (button.matches(".edit")) edit(card);
    else if (button.matches(".clear")) send("clear", { handles: [card.dataset.handle] });
    else if (button.matches(".use")) answer([card.dataset.handle], card.querySelector("textarea").value).then((found) => found && confirmText(card));
    else if (button.matches(".undo")) undo(button);
    else if (button.dataset.answer) answer([card.dataset.handle], meant(button.dataset.answer));
  }

  // A text that drops something is held until the same person says yes to it, as everywhere.
  function confirmText(card) {
    if (card.dataset.state === "held") card.querySelector('[data-answer="true"]').focus();
  }

  function edit(card) {
    const own = card.querySelector(".own");
    const button = card.querySelector(".edit");
    if (!own || button.disabled) return;
    own.hidden = !own.hidden;
    button.setAttribute("aria-expanded", String(!own.hidden));
    if (!own.hidden) own.querySelector("textarea").focus();
  }

  let typing = 0;
  function typed(event) {
    const card = event.target.closest(".card");
    if (!card || !event.target.matches("textarea")) return;
    clearTimeout(typing);
    typing = setTimeout(async () => {
      const reply = await fetch("preview", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ handle: card.dataset.handle, text: event.target.value }),
      });
      if (reply.ok) drops(card, (await reply.json()).drops);
    }, 250);
  }

  function filter() {
    const words = id("text").value.toLocaleLowerCase();
    let count = 0;
    for (const card of cards) {
      const wanted =
        (!id("kind").value || card.dataset.kind === id("kind").value) &&
        (!id("type").value || card.dataset.type === id("type").value) &&
        (!words || card.textContent.toLocaleLowerCase().includes(words));
      card.hidden = !wanted;
      count += wanted;
    }
    const open = cards.filter((card) => card.dataset.state === "open").length;
    id("count").textContent = `${count} of ${cards.length} shown, ${open} not answered`;
  }

  async function report() {
    const found = await send("report");
    if (!found) return;
    id("report-text").textContent = found.text;
    id("report").showModal();
  }

  async function apply() {
    id("report").close();
    await send("apply");
    follow();
  }

  function follow() {
    const timer = setInterval(async () => {
      await look();
      if (phase !== "working") clearInterval(timer);
    }, 300);
  }

  async function undo(button) {
    const run = button.closest(".run");
    await (run ? send("undo-run", { run: run.dataset.run, only: button.dataset.only || "" }) : send("undo"));
    follow();
  }

  function key(event) {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey || id("report")?.open) return;
    const seen = cards.filter((card) => !card.hidden);
    const here = document.activeElement.closest(".card");
    const at = seen.indexOf(here);
    if (event.key === "j") seen[Math.min(at + 1, seen.length - 1)]?.focus();
    else if (event.key === "k") seen[Math.max(at - 1, 0)]?.focus();
    else if (!here || !here.dataset.handle) return;
    else if (/^[1-9]$/.test(event.key)) all("[data-answer]", here)[Number(event.key) - 1]?.click();
    else if (event.key === "e") edit(here);
    else if (event.key === "u") here.querySelector(".clear").click();
    else return;
    event.preventDefault();
  }

  document.addEventListener("click", click);
  document.addEventListener("input", typed);
  id("done").addEventListener("click", () => send("done"));
  if (id("apply")) {
    document.addEventListener("keydown", key);
    for (const name of ["kind", "type", "text"]) id(name).addEventListener("input", filter);
    id("apply").addEventListener("click", report);
    id("yes").addEventListener("click", apply);
    id("no").addEventListener("click", () => id("report").close());
    id("undo").addEventListener("click", () => undo(id("undo")));
  }
  document.addEventListener("visibilitychange", look);
  setInterval(look, 10000);
  look();
})();
