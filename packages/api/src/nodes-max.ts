/**
 * Maximum number of nodes with containers in the lab: a node's pods get 10.x.<index>.0/24, and
 * index 0 is the nodes' own network. Further nodes are hollow.
 */
export const nodesMax = 200;

/**
 * Maximum number of nodes in a simulation. So many nodes take about 40 s of CPU time to start, and
 * 1 GB of memory.
 */
export const simulatedNodesMax = 1_000;

/**
 * Maximum number of hollow nodes in one process, which is the largest measured number. Their pods'
 * addresses are unroutable, so the number of processes is not limited.
 */
export const hollowNodesMax = 5_000;

/** Label of every hollow node, a kubelet without containers; its value is "true". */
export const hollowLabel = "kintsugi.dev/hollow";
