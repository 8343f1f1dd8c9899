import { computed, signal } from "@preact/signals";
import { acceptWord, lastWord, sharedBeginning } from "../model/playground/typed-line.ts";
import type { CommandBar } from "./command-bar.ts";

/** Limit on suggestions, because people choose faster among few suggestions. */
const suggestionsMax = 12;

export type CommandKeys = ReturnType<typeof createCommandKeys>;

/** The line that is being typed, its suggestions, and the keys that act on both as in a shell. */
export function createCommandKeys(bar: CommandBar) {
  const line = signal("");
  const chosen = signal(-1);
  const isOpen = signal(false);
  let back = 0;
  const words = computed(() => {
    const { value: found } = bar.completions;
    return isOpen.value && found.text === line.value ? found.words.slice(0, suggestionsMax) : [];
  });

  const write = (text: string): void => {
    line.value = text;
    [chosen.value, isOpen.value] = [-1, true];
    bar.complete(text);
  };
  const accept = (word: string): void => write(acceptWord(line.value, word));
  /** Shows an older command. */
  const recall = (step: number): void => {
    const lines = bar.told.value.map(({ command }) => command.text).toReversed();
    back = Math.min(Math.max(0, back + step), lines.length);
    line.value = lines[back - 1] ?? "";
    isOpen.value = false;
  };
  const complete = (): void => {
    const word = words.value[chosen.value] ?? (words.value.length === 1 ? words.value[0] : undefined);
    const shared = sharedBeginning(words.value);
    if (word !== undefined) accept(word);
    else if (shared.length > lastWord(line.value).length) write(acceptWord(line.value, shared).trimEnd());
    else chosen.value = 0;
  };

  return {
    line,
    words,
    chosen,
    write,
    accept,
    /** Runs the line, or inserts the suggestion that was chosen with the arrows. */
    enter(): void {
      const word = words.value[chosen.value];
      if (word !== undefined) {
        accept(word);
        return;
      }
      bar.ask(line.value);
      [line.value, chosen.value, isOpen.value] = ["", -1, false];
      back = 0;
    },
    /**
     * Reports whether the key was handled by the bar. Without suggestions, Tab moves the focus out
     * of the bar.
     */
    press(key: string): boolean {
      const step = key === "ArrowDown" ? 1 : -1;
      const { length } = words.value;
      if (key === "Tab" && length > 0 && line.value !== "") complete();
      else if ((key === "ArrowDown" || key === "ArrowUp") && length > 0)
        chosen.value = chosen.value < 0 && step < 0 ? length - 1 : (chosen.value + step + length) % length;
      else if (key === "ArrowDown" || key === "ArrowUp") recall(-step);
      else {
        if (key === "Escape") isOpen.value = false;
        return false;
      }
      return true;
    },
  };
}
