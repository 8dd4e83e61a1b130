import { describe, expect, it } from 'vitest';
import { attributeOf, childrenNamed, onlyChild, textOf, XmlError } from './element.ts';
import { readXml } from './read-xml.ts';
import { standaloneXml, xml } from './write-xml.ts';

const read = (text: string) => readXml(text, { maxLength: 100_000 });

describe('reading XML', () => {
  it('gives names, namespaces, attributes and text', () => {
    const root = read(
      '<?xml version="1.0"?><a:r xmlns:a="urn:a" ID="1"><a:t> x &amp; y </a:t><t xmlns="urn:b"/></a:r>',
    );
    expect([root.prefix, root.local, root.namespace, attributeOf(root, 'ID')]).toEqual(['a', 'r', 'urn:a', '1']);
    expect(textOf(root.children[0] as never)).toBe('x & y');
    expect(childrenNamed(root, 'urn:b', 't')).toHaveLength(1);
    expect(childrenNamed(root, 'urn:a', 'absent')).toHaveLength(0);
  });

  it('joins text around comments, so that a comment cannot cut a value short', () => {
    expect(textOf(read('<n>admin@example.com<!-- -->.evil.example</n>'))).toBe('admin@example.com.evil.example');
    expect(textOf(read('<n>admin<![CDATA[@example.com]]></n>'))).toBe('admin@example.com');
  });

  it('refuses text of an element that holds elements', () => {
    expect(() => textOf(read('<n>admin<b/></n>'))).toThrow('n must hold text only.');
  });

  it('refuses two children where one may be', () => {
    expect(() => onlyChild(read('<r><a/><a/></r>'), '', 'a')).toThrow('r has more than one a.');
  });

  const hostile: Readonly<Record<string, string>> = {
    'a document type': '<!DOCTYPE r><r/>',
    'an entity': '<!DOCTYPE r [<!ENTITY e "x">]><r>&e;</r>',
    'an external entity': '<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]><r>&e;</r>',
    'a billion laughs': `<!DOCTYPE r [<!ENTITY a "${'ha'.repeat(50)}"><!ENTITY b "${'&a;'.repeat(50)}">]><r>&b;</r>`,
    'an unknown entity': '<r>&nbsp;</r>',
    'a processing instruction': '<r><?php evil ?></r>',
    'a prefix without a namespace': '<a:r/>',
    'an attribute twice': '<r a="1" a="2"/>',
    'an attribute twice under two prefixes': '<r xmlns:a="urn:x" xmlns:b="urn:x" a:i="1" b:i="2"/>',
    'two roots': '<r/><r/>',
    'text after the root': '<r/>x',
    'an element that stays open': '<r><a></r>',
    nothing: '',
    'no XML at all': 'SAMLResponse',
    'a NUL': '<r>\u0000</r>',
    'a lone surrogate': '<r>\ud800</r>',
    'too many characters': `<r>${'x'.repeat(100_000)}</r>`,
    'too deep a nesting': '<a>'.repeat(70) + '</a>'.repeat(70),
    'too many elements': `<r>${'<a/>'.repeat(20_001)}</r>`,
    'too many attributes': `<r ${Array.from({ length: 65 }, (_, index) => `a${index}=""`).join(' ')}/>`,
  };
  for (const [name, text] of Object.entries(hostile)) {
    it(`refuses ${name}`, () => {
      expect(() => read(text)).toThrow(XmlError);
    });
  }
});

describe('writing XML', () => {
  it('escapes text and attributes, and leaves out what is null', () => {
    const { markup } = xml('r', { a: '"<&>\n\t', b: null }, 'x < y & "z"\r', null, xml('e', {}), '\u0000');
    expect(markup).toBe('<r a="&quot;&lt;&amp;>&#xA;&#x9;">x &lt; y &amp; "z"&#xD;<e></e></r>');
    expect(textOf(read(xml('r', {}, '\ud800<a>\r\n').markup))).toBe('\ufffd<a>');
  });

  it('makes an element a document of its own, with the namespaces that it inherited', () => {
    const root = read('<a:r xmlns:a="urn:a" xmlns="urn:d"><a:e t="1">x<i/></a:e></a:r>');
    const alone = standaloneXml(root.children[0] as never);
    expect(alone).toBe('<a:e xmlns:a="urn:a" xmlns="urn:d" t="1">x<i></i></a:e>');
    expect(read(alone)).toMatchObject({ namespace: 'urn:a', children: ['x', { namespace: 'urn:d' }] });
  });
});
