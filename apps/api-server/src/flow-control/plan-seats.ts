/** The seats of one level, for the division among all levels. */
export interface LevelSeats {
  /** The seats of the level by its shares. */
  readonly nominal: number;
  /** The seats that other levels cannot borrow. */
  readonly least: number;
  /** The seats including all that the level may borrow. */
  readonly most: number;
}

export interface SharesOf {
  readonly shares: number;
  /** Percent of the nominal seats. */
  readonly lendable: number;
  /** Percent of the nominal seats; undefined for no limit. */
  readonly borrowing: number | undefined;
}

/** Divides all seats of the server by shares, rounded up. */
export function planNominalSeats(seats: number, levels: readonly SharesOf[]): LevelSeats[] {
  const sum = levels.reduce((total, { shares }) => total + shares, 0);
  return levels.map(({ shares, lendable, borrowing }) => {
    const nominal = sum === 0 ? 0 : Math.ceil((seats * shares) / sum);
    const lent = Math.round((nominal * lendable) / 100);
    const most = borrowing === undefined ? nominal + seats : nominal + Math.round((nominal * borrowing) / 100);
    return { nominal, least: nominal - lent, most };
  });
}

/**
 * Divides the seats by need. Each level gets the same fraction of its need, but at least `least`
 * and at most `most`. `needs` are seats.
 */
export function planCurrentSeats(levels: readonly LevelSeats[], needs: readonly number[]): number[] {
  const total = levels.reduce((sum, { nominal }) => sum + nominal, 0);
  const targets = levels.map(({ least }, index) => Math.max(least, needs[index] ?? 0, 1));
  const seatsAt = (fraction: number): number[] =>
    levels.map(({ least, most }, index) => Math.max(least, Math.min(most, fraction * (targets[index] ?? 0))));
  let [low, high] = [0, total + 1];
  for (let round = 0; round < rounds; round++) {
    const middle = (low + high) / 2;
    if (seatsAt(middle).reduce((sum, each) => sum + each, 0) > total) high = middle;
    else low = middle;
  }
  return seatsAt(low).map((each, index) => Math.min(levels[index]?.most ?? 0, Math.max(1, Math.round(each))));
}

/** Bisection steps after which the fraction is precise to far less than a seat. */
const rounds = 50;
