/**
 * Settings that a viewer changes, with the values to choose from; the address sets other settings.
 */
export const playSettings = {
  profile: { label: "Timers", values: ["kubernetes", "default", "fast"] },
  "timers.node-monitor-grace-period": { label: "Silence allowed", values: ["10s", "20s", "40s", "2m"] },
  "timers.pod-eviction-timeout": { label: "Pods stay for", values: ["0s", "30s", "5m"] },
} as const;
