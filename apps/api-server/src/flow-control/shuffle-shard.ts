import { createHash } from "node:crypto";

/**
 * Deals a flow its hand: `handSize` different queues of `deckSize`, always the same for the same
 * flow. Two flows rarely have the same hand, so one that fills its queues leaves others theirs.
 */
export function dealHand(flow: string, deckSize: number, handSize: number): number[] {
  let hash = createHash("sha256").update(flow).digest().readBigUInt64LE();
  const hand: number[] = [];
  for (let i = 0; i < handSize; i++) {
    const remaining = BigInt(deckSize - i);
    let card = Number(hash % remaining);
    hash /= remaining;
    // The card counts those that are still in the deck: each dealt one before it moves it on.
    for (const dealt of hand.toSorted((a, b) => a - b)) if (card >= dealt) card++;
    hand.push(card);
  }
  return hand;
}
