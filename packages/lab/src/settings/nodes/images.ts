import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { defineSetting, topologyField } from "../setting.ts";

type Images = readonly string[];

export const imagesSetting = defineSetting({
  name: "images",
  help: "archives and names of images that every node gets, as for `kintsugi image load`",
  field: topologyField({
    name: "images",
    schema: z.array(z.string()),
    absent: [],
    read: (texts, { directory }): Images => texts.map((text) => fileOrName(text, directory)),
  }),
  store: (desired = []): { images?: Images } => (desired.length === 0 ? {} : { images: desired }),
  contradiction: ({ images: present = [] }, desired) =>
    isDeepStrictEqual(desired, present) ? undefined : "other images",
});

/** A path is relative to the topology file; any other text is the name of an image. */
function fileOrName(image: string, directory: string): string {
  const path = isAbsolute(image) ? image : resolve(directory, image);
  return existsSync(path) ? path : image;
}
