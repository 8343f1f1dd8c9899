import { defineSetting } from "../setting.ts";

export const egressSetting = defineSetting({
  name: "egress",
  help: "leave the host's packet filter unchanged; nodes and pods then reach only this host and each other",
  flag: { flags: "--no-egress", fallback: { value: true } },
  /** False if nodes and pods can reach only this host and each other. */
  store: (desired = true): { egress?: boolean } => (desired ? {} : { egress: false }),
  contradiction: (spec, desired) => (!desired && spec.egress !== false ? "egress from this host" : undefined),
});
