// Dates and times in the form: text for readers, days or seconds for the diagram, as oddlearn counts them.
const DAY = 86400e6; // microseconds

function clockText(micro) {
  const two = (value) => String(value).padStart(2, "0");
  const minutes = Math.floor(micro / 60e6);
  const seconds = Math.floor((micro - minutes * 60e6) / 1e6);
  const fraction = micro - minutes * 60e6 - seconds * 1e6;
  const digits = fraction ? `.${String(fraction).padStart(6, "0").replace(/0+$/, "")}` : "";
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds)}${digits}`;
}

const dayText = (days) => new Date(days * 864e5).toISOString().replace(/T.*/, "");

function entryText(kind, value) {
  if (value === null || !["date", "datetime", "datetime_utc", "time"].includes(kind)) return String(value ?? "");
  if (kind === "date") return dayText(value);
  const micro = Math.round(value * 1e6);
  const days = Math.floor(micro / DAY);
  return kind === "time" ? clockText(micro) : `${dayText(days)} ${clockText(micro - days * DAY)}`;
}

function clockMicro(text) {
  const parts = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?$/.exec(text);
  if (!parts || Number(parts[1]) > 23 || Number(parts[2]) > 59 || Number(parts[3] ?? 0) > 59) return NaN;
  const seconds = (Number(parts[1]) * 60 + Number(parts[2])) * 60 + Number(parts[3] ?? 0);
  return seconds * 1e6 + Number((parts[4] ?? "").padEnd(6, "0"));
}

// the number of what was typed, NaN if it is none
function entryNumber(kind, text) {
  if (kind === "time") return clockMicro(text.trim()) / 1e6;
  if (!["date", "datetime", "datetime_utc"].includes(kind)) return Number(text);
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](.*?))?(?: ?(?:Z|UTC))?$/.exec(text.trim());
  const days = parts ? Date.parse(`${parts[1]}T00:00Z`) / 864e5 : NaN;
  if (kind === "date" || Number.isNaN(days)) return days;
  return (days * DAY + (parts[2] ? clockMicro(parts[2]) : 0)) / 1e6;
}
