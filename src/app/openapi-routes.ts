import { dump } from 'js-yaml';
import { Invalid, Problem } from '../lib/problem.ts';
import type { Call, Reply } from '../resource/call.ts';
import { documentUnder } from '../resource/document/openapi.ts';
import { asOpenApi30 } from '../resource/document/openapi-30.ts';
import type { OpenApiDocument } from '../resource/document/openapi-types.ts';
import type { Operation } from '../resource/document/operation.ts';
import { noChoice } from '../resource/fields/text.ts';
import { etagOf, matchesEtag } from '../resource/read/etag.ts';

type Format = 'json' | 'yaml';
const versions = ['3.0', '3.1'] as const;
type Version = (typeof versions)[number];

const mediaTypes: Record<Format, readonly string[]> = {
  json: ['application/json', 'application/vnd.oai.openapi+json'],
  yaml: ['application/yaml', 'application/vnd.oai.openapi'],
};

export interface OpenApiDocuments {
  whole(): OpenApiDocument;
  /** The part of the document for one path; null if there is none. */
  under(path: string): OpenApiDocument | null;
}

/** The OpenAPI document, built on first request: most processes never need it. */
export function createDocuments(build: () => OpenApiDocument): OpenApiDocuments {
  const parts = new Map<string, OpenApiDocument>();
  let built: OpenApiDocument | undefined;
  function whole(): OpenApiDocument {
    built ??= build();
    return built;
  }
  return {
    whole,
    under(path) {
      const part = parts.get(path) ?? documentUnder(whole(), path);
      // There are many small parts: only those of resources are cached.
      if (part?.['x-resources'][path]) parts.set(path, part);
      return part;
    },
  };
}

export function schemaOperation(documents: OpenApiDocuments): Operation {
  const texts = new Map<string, Rendered>();
  function asked(under: string | null): OpenApiDocument {
    const part = under === null ? documents.whole() : documents.under(under);
    if (!part) throw Invalid.field('under', 'No operation is below this path.');
    return part;
  }
  return {
    id: 'schema_retrieve',
    method: 'GET',
    path: '/schema/',
    tag: 'schema',
    summary: 'Read this document',
    anonymous: true,
    parameters: [
      {
        name: 'format',
        in: 'query',
        schema: { type: 'string', enum: ['json', 'yaml'] },
        description: 'What to write it in; the Accept header decides when this is missing.',
      },
      {
        name: 'version',
        in: 'query',
        schema: { type: 'string', enum: versions, default: '3.1' },
        description: 'The version of OpenAPI; 3.0 is for generators that do not know 3.1.',
      },
      {
        name: 'under',
        in: 'query',
        schema: { type: 'string' },
        description: 'Leave out what is not about this path, such as `/core/users/`.',
      },
      { name: 'If-None-Match', in: 'header', schema: { type: 'string' } },
    ],
    answer: {
      status: 200,
      schema: { schema: { type: 'object', additionalProperties: true } },
      types: [...mediaTypes.json, ...mediaTypes.yaml],
    },
    async handle(call): Promise<Reply> {
      const { format, type } = wanted(call);
      const version = wantedVersion(call);
      const under = call.request.query.get('under') || null;
      const key = `${format} ${version} ${under}`;
      let rendered = texts.get(key);
      if (!rendered) {
        const part = asked(under);
        rendered = render(version === '3.0' ? asOpenApi30(part) : part, format);
        if (under === null || part['x-resources'][under]) texts.set(key, rendered);
      }
      const headers = { etag: rendered.etag, vary: 'accept', 'cache-control': 'no-cache' };
      const known = call.request.header('if-none-match');
      if (known !== undefined && matchesEtag(known, rendered.etag)) return { status: 304, headers };
      return { status: 200, body: rendered.bytes, headers: { ...headers, 'content-type': type } };
    },
  };
}

interface Rendered {
  readonly bytes: Buffer;
  readonly etag: string;
}

function render(document: unknown, format: Format): Rendered {
  // No YAML aliases for repeated schemas: not all tools support them.
  const text = format === 'json' ? JSON.stringify(document) : dump(document, { noRefs: true, lineWidth: -1 });
  return { bytes: Buffer.from(text), etag: etagOf(text) };
}

function wantedVersion({ request }: Call): Version {
  const asked = request.query.get('version') ?? '3.1';
  const version = versions.find((one) => one === asked);
  if (!version) throw Invalid.field('version', noChoice(asked, versions));
  return version;
}

function wanted({ request }: Call): { format: Format; type: string } {
  const asked = request.query.get('format');
  if (asked === 'json' || asked === 'yaml') return { format: asked, type: mediaTypes[asked][0] ?? '' };
  if (asked) throw new Problem('not_found');
  const accepted = (request.header('accept') ?? '')
    .split(',')
    .map((part) => part.split(';', 1)[0]?.trim().toLowerCase());
  for (const type of accepted) {
    for (const format of ['json', 'yaml'] as const) {
      if (type && mediaTypes[format].includes(type)) return { format, type };
    }
  }
  return { format: 'json', type: 'application/json' };
}
