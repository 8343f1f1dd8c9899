/** Returns the count with its noun: "1 pod", "3 pods". */
export function countedNoun(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
