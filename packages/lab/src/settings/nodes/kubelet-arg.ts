import { argsField, argsFlag, type ArgsOwner, joinArgs, type ProgramArgs } from "../program-args.ts";
import { defineSetting } from "../setting.ts";

export const kubelet: ArgsOwner = { program: "kubelet", example: "max-pods" };

/** Flags that every kubelet gets after its own; those of single nodes follow. */
export const kubeletArgSetting = defineSetting({
  name: "kubeletArg",
  help: "further flag of every node's kubelet, such as max-pods=20; may be repeated",
  flag: argsFlag("--kubelet-arg <name=value>", kubelet),
  field: argsField("kubelet", kubelet),
  combine: joinArgs,
  store: (wish = []): { kubeletArgs?: ProgramArgs } => (wish.length === 0 ? {} : { kubeletArgs: wish }),
  contradiction: ({ kubeletArgs = [] }, wish) =>
    wish.join() === kubeletArgs.join()
      ? undefined
      : `kubelet flags ${kubeletArgs.join(" ") || "of its own"}, not ${wish.join(" ")}`,
  appends: ({ kubeletArgs = [] }) => ({ kubelet: kubeletArgs }),
});
