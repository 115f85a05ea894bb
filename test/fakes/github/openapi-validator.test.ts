import { describe, expect, it } from 'vitest';
import { description, openApiValidator } from '../../support/openapi-validator.ts';

const params = { owner: 'ana', repo: 'shop', pull_number: '7' };

describe('the OpenAPI validator', () => {
  it('refuses wrong types in path, query and body', () => {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
    const problems = openApiValidator.checkRequest({
      route,
      params: { ...params, pull_number: 'x' },
      query: { per_page: 'many', colour: 'red' },
      body: undefined,
    });
    expect(problems).toEqual([
      `${route} path: /pull_number must be integer`,
      `${route} query: / must NOT have additional properties (colour)`,
      `${route} query: /per_page must be integer`,
    ]);
  });

  it('refuses a body where none is described, and a missing one where it is required', () => {
    expect(openApiValidator.checkRequest({ route: 'GET /app', params: {}, query: {}, body: { a: 1 } })).toHaveLength(1);
    const route = 'POST /repos/{owner}/{repo}/git/blobs';
    expect(
      openApiValidator.checkRequest({ route, params: { owner: 'a', repo: 'b' }, query: {}, body: undefined }),
    ).toHaveLength(1);
  });

  it('checks responses by status and shape', () => {
    const route = 'GET /repos/{owner}/{repo}/git/ref/{ref}';
    const object = { type: 'commit', sha: 'a'.repeat(40), url: 'https://example.test/c' };
    const good = { ref: 'refs/heads/main', node_id: 'x', url: 'https://example.test/r', object };
    expect(openApiValidator.checkResponse(route, 200, good)).toEqual([]);
    expect(openApiValidator.checkResponse(route, 200, { ...good, ref: 5 })).toEqual([
      `${route} response 200: /ref must be string`,
    ]);
    expect(openApiValidator.checkResponse(route, 299, good)).toHaveLength(1);
  });

  it('checks webhook payloads by event and action', () => {
    expect(openApiValidator.checkWebhook('issue_comment', { action: 'created' }).length).toBeGreaterThan(0);
    expect(openApiValidator.checkWebhook('star', { action: 'created' })[0]).toContain('no such event');
  });

  it('compiles every operation and event of the description', () => {
    const document = Object(description);
    for (const route of Object.keys(document.operations)) {
      openApiValidator.checkRequest({ route, params: {}, query: {}, body: {} });
      for (const status of [200, 201, 202, 204, 422]) openApiValidator.checkResponse(route, status, {});
    }
    for (const event of Object.keys(document.events)) {
      const [name = '', action] = event.split('.');
      expect(openApiValidator.checkWebhook(name, action === undefined ? {} : { action })).not.toEqual([]);
    }
  });
});
