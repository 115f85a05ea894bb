/** Since when something goes on, to catch up from there even where it has ended meanwhile; null in what was saved before. */
export const GOING_ON = ['alter table pulls add column goes_on_since text'] as const;
