import { flag, option, type OptionValues } from "@kintsugi/daemon";
import {
  findRangeProblem,
  naming,
  rangeOf,
  readServiceRange,
  serviceRangeOptions,
} from "../../shared/service-range.ts";
import { CidrSet } from "./cidr-set.ts";
import type { NodeRanges } from "./plan.ts";

export const nodeIpamOptions = {
  allocateNodeCidrs: option(
    "allocate-node-cidrs",
    flag.boolean({
      help: "Allocate the pod ranges of nodes from --cluster-cidr; otherwise each kubelet is configured with its own range",
      fallback: false,
      key: "allocateNodeCIDRs",
    }),
  ),
  clusterCidr: option(
    "cluster-cidr",
    flag.text({ help: "Address range of all pods, IPv4", example: "10.200.128.0/17", key: "clusterCIDR" }),
  ),
  nodeCidrMaskSize: option(
    "node-cidr-mask-size",
    flag.count({
      min: 8,
      max: 30,
      help: "Prefix length of the range that each node receives from --cluster-cidr",
      fallback: 24,
      key: "nodeCIDRMaskSize",
    }),
  ),
  nodeCidrReserved: option(
    "node-cidr-reserved",
    flag.list({
      help: "Parts of --cluster-cidr that are never allocated: ranges of nodes that are configured with their own, and of machines",
      fallback: [],
      example: ["10.200.128.0/20"],
      key: "nodeCIDRReserved",
    }),
  ),
  ...serviceRangeOptions,
};

type Options = OptionValues<typeof nodeIpamOptions>;

export function findNodeIpamProblem(options: Options): string | undefined {
  return findRangeProblem(() => readNodeRanges(options));
}

/**
 * Undefined if this controller does not allocate ranges. @throws RangeError with the flag that is
 * wrong.
 */
export function readNodeRanges(options: Options): NodeRanges | undefined {
  if (!options.allocateNodeCidrs) return undefined;
  const { clusterCidr, nodeCidrMaskSize } = options;
  if (clusterCidr === undefined) throw new RangeError("--allocate-node-cidrs needs --cluster-cidr");
  const ranges = {
    clusterCidr: rangeOf("--cluster-cidr", clusterCidr),
    nodeCidrMaskSize,
    reserved: options.nodeCidrReserved.map((range) => rangeOf("--node-cidr-reserved", range)),
    serviceCidr: readServiceRange(options),
  };
  naming("--node-cidr-mask-size", () => new CidrSet(ranges.clusterCidr, ranges.nodeCidrMaskSize));
  return ranges;
}
