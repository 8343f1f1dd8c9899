import { instantOf } from "@kintsugi/api";

/** Maximum length of a run in milliseconds; later moments are invalid. */
const momentMaxMs = 366 * 24 * 60 * 60_000;

/** Reads the part "t=83.2" of an address: milliseconds since the beginning. */
export function readMoment(hash: string): number | undefined {
  const text = partsOf(hash).get("t") ?? "";
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(text)) return undefined;
  const ms = Math.round(Number(text) * 1000);
  return ms <= momentMaxMs ? ms : undefined;
}

/** Reads the part "t=2026-11-29T00:06:08Z" of a live cluster's address. */
export function readInstant(hash: string): number | undefined {
  const text = partsOf(hash).get("t") ?? "";
  return text.endsWith("Z") ? instantOf(text) : undefined;
}

/** The address without its moment: "Pod/default/web-1", or the name of a recording. */
export function withoutMoment(hash: string): string {
  return hash
    .replace(/^#/, "")
    .split("&")
    .filter((part) => !part.startsWith("t="))
    .join("&");
}

/** Writes an address with a moment: "#node-dead&t=83.2". */
export function writeMoment(hash: string, text: string): string {
  const rest = withoutMoment(hash);
  return `#${rest === "" ? "" : `${rest}&`}t=${text}`;
}

/** Writes milliseconds since the beginning as seconds: "83.2". */
export function momentText(ms: number): string {
  return String(Math.round(Math.max(0, ms)) / 1000);
}

function partsOf(hash: string): URLSearchParams {
  return new URLSearchParams(hash.replace(/^#/, ""));
}
