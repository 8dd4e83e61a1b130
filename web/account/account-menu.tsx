import { useState } from 'react';
import { t } from '../texts/texts.ts';
import { SectionLink, useSlug } from './navigation.tsx';
import { sections } from './section-list.tsx';

/** Links to all sections; collapsible on narrow screens. */
export function AccountMenu() {
  const slug = useSlug();
  const [isOpen, setOpen] = useState(false);
  const current = t(sections.find((one) => one.slug === slug)?.title ?? 'Menu');
  return (
    <nav className="account-menu" aria-label={t('Account')}>
      <button
        type="button"
        className="button account-menu-button"
        aria-expanded={isOpen}
        aria-controls="account-menu-list"
        onClick={() => setOpen(!isOpen)}
      >
        <span className="visually-hidden">{t('Menu, now at')} </span>
        <span>{current}</span>
        <span aria-hidden="true">{isOpen ? '▴' : '▾'}</span>
      </button>
      <ul id="account-menu-list" className="account-menu-list" data-open={isOpen || undefined}>
        {sections.map((section) => (
          <li key={section.slug}>
            <SectionLink
              to={section.slug}
              aria-current={section.slug === slug ? 'page' : undefined}
              onClick={() => setOpen(false)}
            >
              {t(section.title)}
            </SectionLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
