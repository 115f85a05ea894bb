/** How many requests one sweep may still send. */
export type Budget = { left: number };

/** Takes one request off; false where none is left. */
export function spend(budget: Budget): boolean {
  if (budget.left === 0) return false;
  budget.left -= 1;
  return true;
}
