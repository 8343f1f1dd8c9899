import { type ArgsOwner, argsSetting } from "../program-args.ts";

export const kubelet: ArgsOwner = { program: "kubelet", example: "max-pods" };

/** Flags that every kubelet gets after its own flags. The flags of single nodes follow them. */
export const kubeletArgSetting = argsSetting({
  ...kubelet,
  name: "kubeletArg",
  stored: "kubeletArgs",
  flag: "--kubelet-arg <name=value>",
  field: "kubelet",
  help: "additional flag of every node's kubelet, such as max-pods=20; may be repeated",
});
