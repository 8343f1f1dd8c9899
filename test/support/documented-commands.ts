/**
 * The lines of a page's code blocks that are commands, without their comments. Blocks of another
 * language, or of output, are skipped.
 */
export function commandsOf(markdown: string): string[] {
  const program = /^(npm|npx|docker|kubectl|kintsugi|sudo|systemctl|vagrant|\.\.?\/)\b/;
  return [...markdown.matchAll(/^```(?:sh|bash)?\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = ""]) => block.split("\n"))
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => program.test(line));
}
