/** A node of a cluster of this host. */
export interface NodeSpec {
  name: string;
  /** The number of the node, from 1; it determines the node's addresses. */
  index: number;
  /** Labels that its kubelet registers. */
  labels?: Readonly<Record<string, string>>;
  /** Taints that its kubelet registers: "dedicated=database:NoSchedule". */
  taints?: readonly string[];
  /** Flags of its kubelet, after the flags of all kubelets. */
  kubeletArgs?: readonly string[];
}
