import './frame.css';
import { type ReactNode, useEffect, useState } from 'react';
import { useBrand } from '../page/mount-page.tsx';
import type { FlowInfo } from './challenge.ts';
import { safeAddress } from './safe-address.ts';

/** The brand, the background and the place for the screen, in the flow's layout. */
export function Frame({ flow, children }: { flow: FlowInfo | null; children: ReactNode }) {
  const brand = useBrand();
  const title = flow?.title;
  useEffect(() => {
    document.title = title ? `${title} · ${brand.branding_title}` : brand.branding_title;
  }, [title, brand]);
  return (
    <div className="frame" data-layout={flow?.layout ?? 'stacked'}>
      <Background address={safeAddress(flow?.background)} />
      <main className="frame-card">
        <Logo />
        {children}
      </main>
      <FooterLinks />
    </div>
  );
}

function Logo() {
  const { branding_logo, branding_title } = useBrand();
  const [isMissing, setMissing] = useState(false);
  const address = safeAddress(branding_logo);
  if (!address || isMissing) return <p className="frame-logo">{branding_title}</p>;
  return <img className="frame-logo" src={address} alt={branding_title} onError={() => setMissing(true)} />;
}

function Background({ address }: { address: string | null }) {
  const [missing, setMissing] = useState<string | null>(null);
  if (!address || address === missing) return null;
  return <img className="frame-background" src={address} alt="" onError={() => setMissing(address)} />;
}

function FooterLinks() {
  const { ui_footer_links: links } = useBrand();
  if (links.length === 0) return null;
  return (
    <footer className="frame-footer">
      {links.map(({ name, href }) => {
        const address = safeAddress(href);
        return address ? (
          <a key={name} href={address}>
            {name}
          </a>
        ) : (
          <span key={name}>{name}</span>
        );
      })}
    </footer>
  );
}
