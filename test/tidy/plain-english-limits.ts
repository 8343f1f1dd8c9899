import type { EnglishCounts } from "./plain-english.ts";

/**
 * The violations of plain English that each place may still have. A number never rises; it is
 * lowered when a count falls.
 */
export const englishLimits: Readonly<Record<string, EnglishCounts>> = {
  "packages/api": { openings: 0, persons: 0, stops: 0, long: 0 },
  "packages/client": { openings: 2, persons: 0, stops: 0, long: 7 },
  "packages/clock": { openings: 10, persons: 2, stops: 0, long: 0 },
  "packages/controller": { openings: 0, persons: 1, stops: 0, long: 2 },
  "packages/cri": { openings: 74, persons: 12, stops: 0, long: 3 },
  "packages/daemon": { openings: 38, persons: 9, stops: 1, long: 1 },
  "packages/dns": { openings: 31, persons: 9, stops: 0, long: 4 },
  "packages/lab": { openings: 120, persons: 24, stops: 0, long: 8 },
  "packages/pki": { openings: 9, persons: 4, stops: 0, long: 2 },
  "packages/simulation": { openings: 310, persons: 92, stops: 0, long: 3 },
  "packages/store": { openings: 1, persons: 0, stops: 0, long: 19 },
  "packages/streaming": { openings: 22, persons: 9, stops: 0, long: 2 },
  "packages/watch-stream": { openings: 37, persons: 10, stops: 0, long: 8 },
  "packages/yaml-text": { openings: 9, persons: 1, stops: 0, long: 0 },
  "apps/api-server": { openings: 0, persons: 0, stops: 0, long: 0 },
  "apps/cli": { openings: 49, persons: 6, stops: 0, long: 0 },
  "apps/controller-manager": { openings: 0, persons: 0, stops: 0, long: 0 },
  "apps/kubelet": { openings: 0, persons: 0, stops: 0, long: 0 },
  "apps/proxy": { openings: 68, persons: 12, stops: 0, long: 5 },
  "apps/scheduler": { openings: 0, persons: 0, stops: 0, long: 0 },
  "apps/simulator": { openings: 80, persons: 19, stops: 0, long: 1 },
  test: { openings: 341, persons: 75, stops: 1, long: 0 },
  tools: { openings: 1, persons: 0, stops: 0, long: 2 },
  documents: { openings: 0, persons: 40, stops: 0, long: 0 },
};
