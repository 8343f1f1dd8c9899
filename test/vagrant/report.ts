import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { repository } from "../support/lab-cluster.ts";
import { whenAndWhere } from "../support/when-and-where.ts";

const file = join(repository, "docs/vagrant-lab.md");

/**
 * Collects the events with their times. Each event is printed when it happens, and all events
 * become a page of docs/ at the end.
 */
export class Report {
  readonly #startedMs = performance.now();
  readonly #rows: string[] = [];
  readonly #loads: number[] = [];
  #demo = "";

  note(what: string): void {
    const atSeconds = Math.round((performance.now() - this.#startedMs) / 1000);
    this.#rows.push(`| ${atSeconds} | ${what} |`);
    this.#loads.push(loadavg()[0] ?? 0);
    console.log(`${String(atSeconds).padStart(5)} s  ${what}`);
  }

  /** The demo's own table of phases. */
  addDemo(table: string): void {
    this.#demo = table;
  }

  publish(): void {
    const busiest = Math.max(...this.#loads).toFixed(1);
    const text = `# The lab's last run

\`npm run test:vagrant\` writes this page. It runs [the lab](../deploy/vagrant/README.md) with vagrant-libvirt in three machines that qemu
emulates without hardware support, with the timers of the default profile.

Last run: ${whenAndWhere()}, load average up to ${busiest}.

| seconds | step |
|---|---|
${this.#rows.join("\n")}

The demo, on the same lab (\`npm run demo -- --on vagrant\`):

\`\`\`text
${this.#demo}
\`\`\`
`;
    writeFileSync(file, text);
    console.log(`written to ${file}`);
  }
}
