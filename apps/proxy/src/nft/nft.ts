import type { TablePresent } from "../ruleset/transaction.ts";

/** The kernel's packet filter, as far as one table goes. */
export interface Nft {
  /**
   * Does all that the script says, or nothing of it. @throws Error with the first lines of what nft
   * said.
   */
  apply(script: string): Promise<void>;
  /**
   * What the table holds; of a table that is not there nothing. @throws Error when it cannot be
   * asked.
   */
  present(): Promise<TablePresent>;
}
