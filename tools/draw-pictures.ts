import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { instance } from "@viz-js/viz";

const folder = join(import.meta.dirname, "../docs/pictures");

/** Each picture of the documentation: its file, and the SVG that its source draws. */
export async function drawPictures(): Promise<readonly { file: string; svg: string }[]> {
  const graphviz = await instance();
  return readdirSync(folder)
    .filter((name) => name.endsWith(".dot"))
    .toSorted()
    .map((name) => {
      const source = readFileSync(join(folder, name), "utf8");
      return {
        file: join(folder, name.replace(/\.dot$/, ".svg")),
        svg: graphviz.renderString(source, { format: "svg" }),
      };
    });
}

if (process.argv[1] === import.meta.filename) {
  for (const { file, svg } of await drawPictures()) writeFileSync(file, svg);
}
