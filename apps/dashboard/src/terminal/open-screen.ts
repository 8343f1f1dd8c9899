import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import type { Screen } from "./command-session.ts";
import { defineAdoptedStyle } from "./adopted-style.ts";

/** Loaded together with the screen, because a page without a terminal needs neither. */
export { joinCommand } from "./command-session.ts";

/** Lines above the screen to which a user can scroll. */
const scrollbackLines = 5_000;
/** The contrast that readers with low vision need (WCAG 2.2, 1.4.3). */
const contrastMin = 4.5;

/**
 * Opens a terminal's screen that fills the element. Text of the container cannot open links, access
 * the clipboard or set the title. Shift+Escape calls `onLeave`; every other key is sent to the
 * command.
 */
export function openScreen(parent: HTMLElement, { onLeave }: { onLeave: () => void }): Screen {
  defineAdoptedStyle();
  const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const terminal = new Terminal({
    scrollback: scrollbackLines,
    screenReaderMode: true,
    minimumContrastRatio: contrastMin,
    fontFamily: "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
    fontSize: 13,
    linkHandler: { activate: () => {} },
    theme: { background: colour("--surface"), foreground: colour("--text"), cursor: colour("--accent") },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(parent);
  fit.fit();
  // The screen has no size in a hidden tab, and keeps its previous size.
  const observer = new ResizeObserver(() => parent.clientWidth > 0 && fit.fit());
  observer.observe(parent);
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.key !== "Escape" || !event.shiftKey) return true;
    if (event.type === "keydown") onLeave();
    return false;
  });
  const encoder = new TextEncoder();
  return {
    get columns() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    write: (bytes, onShown) => terminal.write(bytes, onShown),
    onInput(take) {
      terminal.onData((text) => take(encoder.encode(text)));
      // Mouse reports are bytes that are not UTF-8.
      terminal.onBinary((text) => take(Uint8Array.from(text, (each) => each.charCodeAt(0))));
    },
    onResize: (take) => void terminal.onResize(take),
    focus: () => terminal.focus(),
    dispose() {
      observer.disconnect();
      terminal.dispose();
    },
  };
}
