"use strict";
// Axes of charts: from values to places, and the values that get a tick.

// Values at which a linear axis from `low` to `high` has ticks: about `count`, at multiples of 1, 2
// or 5 times a power of ten.
function linearTicks(low, high, count) {
  if (!(high > low)) return Number.isFinite(low) ? [low] : [];
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) ticks.push(i * step + 0);
  return ticks;
}

// Ticks of an axis from 0 for values up to `most`, above 0: the axis ends at the last one.
function ticksFromZero(most, count) {
  const [, step = most] = linearTicks(0, most, count);
  return Array.from({length: Math.ceil(most / step - 1e-9) + 1}, (_, i) => i * step);
}

// Ticks of a logarithmic axis, of positive values: powers of ten, and 2 and 5 times these where
// there is room for them.
function logTicks(low, high, count) {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const factors = Math.log10(high / low) < count * 0.6 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil((last - first) / count));
  const ticks = [];
  for (let power = first; power <= last; power += every)
    for (const factor of factors) ticks.push(factor * 10 ** power);
  const inside = ticks.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
  return inside.length > 1 ? inside : linearTicks(low, high, count);
}

// A function from values to places: the ends of the axis are at `from` and `to`.
function scaleOf({low, high, log = false, from, to}) {
  const at = log ? Math.log : (value) => value;
  const length = at(high) - at(low) || 1;
  return (value) => from + (at(value) - at(low)) / length * (to - from);
}

// A number in few characters: 4 significant digits; 12k and 3.5M for large ones, 2e-5 for tiny ones.
function shortNumber(value) {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e").replaceAll("-", "−");
  for (const [unit, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k"]])
    if (size >= unit) return String(Number((value / (letter === "k" ? 1e3 : unit)).toPrecision(4))).replace("-", "−") + letter;
  return String(Number(value.toPrecision(4))).replace("-", "−");
}
