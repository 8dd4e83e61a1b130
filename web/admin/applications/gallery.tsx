import { TextField } from '../../elements/field.tsx';
import { known, t } from '../../texts/texts.ts';
import { goTo, hereWith, useAddress } from '../address.ts';
import { Link } from '../link.tsx';
import { checkedText } from './documentation.tsx';
import { ProductLogo } from './product-logo.tsx';
import type { Template } from './template.ts';

const protocolName = (protocol: Template['protocol']): string => {
  switch (protocol) {
    case 'oauth2':
      return 'OpenID Connect';
    case 'saml':
      return 'SAML';
    case 'ldap':
      return 'LDAP';
    case 'radius':
      return 'RADIUS';
    case 'proxy':
      return t('Forward auth');
  }
};

/** Well-known applications by what they are for. */
export function Gallery({ templates }: { templates: readonly Template[] }) {
  const { query } = useAddress();
  const text = query.get('search') ?? '';
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = templates.filter(({ name, about, category }) =>
    words.every((word) => [known(name), t(about), category && t(category)].join(' ').toLowerCase().includes(word)),
  );
  return (
    <>
      <div className="gallery-search">
        <TextField
          label={t('Search applications')}
          type="search"
          value={text}
          onChange={({ currentTarget }) => goTo(hereWith({ search: currentTarget.value || null }), { replace: true })}
        />
        <p className="quiet small" role="status">
          {t('{count, plural, one {# template} other {# templates}}', { count: found.length })}
        </p>
      </div>
      {found.length === 0 && (
        <p className="empty">
          {t(
            'No template has this name. Every application that supports OpenID Connect or SAML works: choose “Any web application”. For those without a sign-in of their own, choose “Any application without a sign-in”.',
          )}
        </p>
      )}
      {[...Map.groupBy(found, ({ category }) => category)]
        .toSorted(([one], [other]) => one.localeCompare(other))
        .map(([category, inner]) => (
          <section key={category} className="stack-tight" aria-label={t(category || 'General')}>
            <h2 className="gallery-title">{t(category || 'General')}</h2>
            <ul className="gallery">
              {inner.map((template) => (
                <li key={template.id}>
                  <Link className="card gallery-item" href={hereWith({ template: template.id, search: null })}>
                    <ProductLogo id={template.id} name={known(template.name)} />
                    <span className="gallery-text">
                      <strong>{known(template.name)}</strong>
                      <span className="quiet small">{t(template.about)}</span>
                      {category && <span className="quiet small">{protocolName(template.protocol)}</span>}
                      {template.checked && <span className="quiet small">✓ {checkedText(template.checked)}</span>}
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
    </>
  );
}
