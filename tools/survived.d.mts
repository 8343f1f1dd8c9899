export interface Survived {
  runs: number;
  bugs: number;
  chaosOne: number;
  chaosThree: number;
  requests: number;
  writes: number;
  kills: number;
}

export const kinds: readonly { key: keyof Survived; head: string }[];
export function addSurvived(all: readonly Partial<Survived>[]): Survived;
export function survivedLine(counts: Partial<Survived>, commits: readonly string[]): string;
export function readSurvived(text: string): { counts: Survived; commits: string[] } | undefined;
export function readRuns(output: string): { runs: number } | undefined;
export function readRequests(output: string): { requests: number } | undefined;
export function grouped(count: number): string;
export function readLedger(markdown: string): Survived[];
export function readTotal(markdown: string): Survived | undefined;
export function addToLedger(
  markdown: string,
  row: { date: string; commits: readonly string[]; machine: string; by: string; counts: Partial<Survived> },
): string;
