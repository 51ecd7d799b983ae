"use strict";
// The page of a run that goes on reads itself again now and then, while its reader is at nothing else.

const reloadEvery = 20;  // seconds
const quietFor = 5;      // seconds since the reader did something
let touched = 0;         // when that was, by Date.now()

const isFollowed = () => page.live && choices.follow && page.runs.some((run) => stateOf(run) === "running");

// Whether the reader is idle: types nothing, and has pointed at nothing just now.
function isQuiet(now) {
  const typing = document.activeElement?.matches?.("input[type=search], select");
  return !document.hidden && !typing && now - touched >= 1000 * quietFor;
}

function reloadIfQuiet(now = Date.now()) {
  if (isFollowed() && isQuiet(now)) location.reload();
}

// "Reload every 20 s", with what the reader chose.
function followSwitch() {
  const box = element("input", {type: "checkbox", id: "follow"});
  box.checked = choices.follow;
  box.addEventListener("change", () => {
    choices.follow = box.checked;
    keepChoices();
  });
  return element("label", {class: "check screen"}, box, element("span", {}, text("follow", {seconds: reloadEvery})));
}

function startFollowing() {
  if (!page.live) return;
  for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "scroll", "touchmove"])
    addEventListener(kind, () => { touched = Date.now(); }, {passive: true, capture: true});
  const opened = Date.now();
  setInterval(() => {
    const now = Date.now();
    if (now - opened >= 1000 * reloadEvery) reloadIfQuiet(now);
  }, 1000);
}
