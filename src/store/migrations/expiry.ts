/**
 * Changes expire. Those of before have no deadline of their own yet; a look at each pull request where one waits begins
 * their clocks. Both bodies are JSON as text: they may hold what the database's own JSON type refuses.
 */
export const EXPIRY = [
  `update proposals set body = '{"expiresAt":null,"reminded":false,' || substr(body, 2)`,
  // Within a text the quotes are escaped, so that this is found where the settings begin and nowhere else.
  `update runs set state = replace(state, '"settings":{', '"settings":{"expiryHours":168,')`,
  `insert into effects (pull_key, lane, type, coalescing_key, body, created_at, not_before)
    select pull_key, 'pull', 'see-deadline', 'see-deadline:1970-01-01T00:00:00.000Z',
      '{"type":"see-deadline","at":"1970-01-01T00:00:00.000Z","wantedAt":"1970-01-01T00:00:00.000Z"}',
      (extract(epoch from now()) * 1000)::bigint, (extract(epoch from now()) * 1000)::bigint
    from proposals where state = 'proposed' group by pull_key`,
] as const;
