/** Words with which a comment or description opens when it is a fragment: a bare preposition, or a question word. */
export const bareOpenings: ReadonlySet<string> = new Set(
  [
    "About Above After Against Along Among As At Away Before Below Beside Between Beyond By Down During For From In Inside",
    "Into Of Off On Onto Out Outside Over Since Through Till To Toward Towards Under Until Up Upon With Within Without",
    "How What Whatever When Whenever Where Wherever Whether Which Whichever Who Whoever Whom Whose Why",
  ].flatMap((line) => line.split(" ")),
);
