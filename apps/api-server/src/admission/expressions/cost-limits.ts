/** The cost of one evaluation of an expression, equal to upstream's limit. */
export const callCostMax = 1_000_000;
/**
 * The cost of all expressions of a policy for one request. It is a quarter of upstream's limit,
 * because the server does not answer other requests during an evaluation.
 */
export const policyCostMax = 2_500_000;
/** The cost of a policy's match conditions for one request, equal to upstream's limit. */
export const conditionsCostMax = 2_500_000;
