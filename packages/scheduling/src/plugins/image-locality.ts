import type { Pod } from "@kintsugi/api";
import { taggedImage } from "../cluster-state/node-info.ts";
import { type Plugin, scoreMax } from "../framework/plugin.ts";

/**
 * The limits of the images' total size: below the lower limit the score is 0, and above the upper
 * limit per container it does not grow further.
 */
const bytesMin = 23 * 1024 * 1024;
const bytesMaxPerContainer = 1000 * 1024 * 1024;

/**
 * A node that already has the pod's images starts the pod earlier. Images that few nodes have count
 * less, so that pods are not concentrated on these nodes.
 */
export const imageLocality: Plugin = {
  name: "ImageLocality",
  score: {
    weight: 1,
    prepare: ({ pod }, snapshot) => {
      const wanted = imagesOf(pod);
      const spread = new Map(wanted.map((image) => [image, snapshot.nodesWithImage(image)]));
      if ([...spread.values()].every((count) => count === 0)) return "indifferent";
      const bytesMax = bytesMaxPerContainer * wanted.length;
      const nodeCount = snapshot.nodes.length;
      const counted = (bytes: number, image: string) => Math.floor((bytes * (spread.get(image) ?? 0)) / nodeCount);
      const scoreOf = (bytes: number) => {
        const bounded = Math.min(Math.max(bytes, bytesMin), bytesMax);
        return Math.floor((scoreMax * (bounded - bytesMin)) / (bytesMax - bytesMin));
      };
      return {
        score: (node) => scoreOf(wanted.reduce((sum, image) => sum + counted(node.images.get(image) ?? 0, image), 0)),
        scoreRows: (columns, rows, scores) => {
          for (const image of wanted) {
            const { bytes } = columns.image(image);
            for (let i = 0; i < rows.length; i++)
              scores[i] = (scores[i] as number) + counted(bytes[rows[i] as number] as number, image);
          }
          for (let i = 0; i < rows.length; i++) scores[i] = scoreOf(scores[i] as number);
        },
      };
    },
  },
};

function imagesOf({ spec }: Pod): string[] {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return containers.map(({ image = "" }) => taggedImage(image)).filter((image) => image !== "");
}
