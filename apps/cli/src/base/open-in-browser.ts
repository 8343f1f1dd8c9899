import { spawn } from "node:child_process";
import { findProgram } from "@kintsugi/daemon";
import type { CliConfig } from "../config.ts";

/** Opens an address on a desktop; without a desktop the printed line has to suffice. */
export function openInBrowser(config: Pick<CliConfig, "host" | "inherited">, url: string): void {
  const command = browserCommand(config);
  if (command === undefined) return;
  const [program, ...words] = command;
  const child = spawn(program, [...words, url], { stdio: "ignore", detached: true });
  child.once("error", () => {});
  child.unref();
}

type Words = readonly [string, ...string[]];

/**
 * Returns the words of this desktop's command that precede the address; undefined without a
 * desktop.
 */
function browserCommand({ host, inherited }: Pick<CliConfig, "host" | "inherited">): Words | undefined {
  // The address is not passed through a shell, because a Windows shell would interpret &.
  if (host.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  if (host.platform === "darwin") return ["open"];
  const { DISPLAY, WAYLAND_DISPLAY } = inherited;
  const program = findProgram("xdg-open", host.searchPath);
  return program === undefined || (DISPLAY === undefined && WAYLAND_DISPLAY === undefined) ? undefined : [program];
}
