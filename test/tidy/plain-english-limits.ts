import type { EnglishCounts } from "./plain-english.ts";

/**
 * The violations of plain English that each place may still have. A number never rises; it is
 * lowered when a count falls.
 */
export const englishLimits: Readonly<Record<string, EnglishCounts>> = {
  "packages/api": { openings: 0, persons: 0, stops: 0, long: 0 },
  "packages/client": { openings: 0, persons: 0, stops: 0, long: 0 },
  "packages/clock": { openings: 0, persons: 0, stops: 0, long: 0 },
  "packages/controller": { openings: 0, persons: 0, stops: 0, long: 0 },
  "packages/cri": { openings: 0, persons: 0, stops: 0, long: 0 },
  "packages/daemon": { openings: 0, persons: 0, stops: 1, long: 0 },
  "packages/dns": { openings: 0, persons: 0, stops: 0, long: 0 },
  "packages/lab": { openings: 0, persons: 0, stops: 0, long: 0 },
  "packages/pki": { openings: 0, persons: 0, stops: 0, long: 0 },
  "packages/simulation": { openings: 0, persons: 0, stops: 0, long: 0 },
  "packages/store": { openings: 0, persons: 0, stops: 0, long: 0 },
  "packages/streaming": { openings: 0, persons: 0, stops: 0, long: 0 },
  "packages/watch-stream": { openings: 0, persons: 0, stops: 0, long: 0 },
  "packages/yaml-text": { openings: 0, persons: 0, stops: 0, long: 0 },
  "apps/api-server": { openings: 0, persons: 0, stops: 0, long: 0 },
  "apps/cli": { openings: 0, persons: 0, stops: 0, long: 0 },
  "apps/controller-manager": { openings: 0, persons: 0, stops: 0, long: 0 },
  "apps/kubelet": { openings: 0, persons: 0, stops: 0, long: 0 },
  "apps/proxy": { openings: 0, persons: 0, stops: 0, long: 0 },
  "apps/scheduler": { openings: 0, persons: 0, stops: 0, long: 0 },
  "apps/simulator": { openings: 0, persons: 0, stops: 0, long: 0 },
  test: { openings: 0, persons: 1, stops: 1, long: 0 },
  tools: { openings: 0, persons: 0, stops: 0, long: 0 },
  documents: { openings: 0, persons: 40, stops: 0, long: 0 },
};
