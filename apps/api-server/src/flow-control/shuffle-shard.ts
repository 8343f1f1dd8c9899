import { createHash } from "node:crypto";

/**
 * Deals a flow its hand: `handSize` different queues of `deckSize`, always the same hand for the
 * same flow. Two flows rarely have the same hand, so a flow that fills its queues leaves queues for
 * other flows.
 */
export function dealHand(flow: string, deckSize: number, handSize: number): number[] {
  let hash = createHash("sha256").update(flow).digest().readBigUInt64LE();
  const hand: number[] = [];
  for (let i = 0; i < handSize; i++) {
    const remaining = BigInt(deckSize - i);
    let card = Number(hash % remaining);
    hash /= remaining;
    // The card is an index into the remaining deck. Each dealt card with an index up to this index
    // shifts the card by one position.
    for (const dealt of hand.toSorted((a, b) => a - b)) if (card >= dealt) card++;
    hand.push(card);
  }
  return hand;
}
