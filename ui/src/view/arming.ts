/** How long Approve stays closed after a card appeared, in milliseconds. */
export const ARMING_MS = 700;

/** How many lines of a change are shown at first. */
export const FIRST_LINES = 400;
