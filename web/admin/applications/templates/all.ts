import type { Template } from '../template.ts';
import { actualBudget } from './actual-budget.ts';
import { alertmanager } from './alertmanager.ts';
import { apache } from './apache.ts';
import { argoCd } from './argo-cd.ts';
import { audiobookshelf } from './audiobookshelf.ts';
import { awsIdentityCenter } from './aws-identity-center.ts';
import { bookstack } from './bookstack.ts';
import { cloudflareAccess } from './cloudflare-access.ts';
import { dovecot } from './dovecot.ts';
import { fileBrowser } from './filebrowser.ts';
import { forgejo } from './forgejo.ts';
import { forwardAuth } from './forward-auth.ts';
import { freshrss } from './freshrss.ts';
import { gitea } from './gitea.ts';
import { giteaLdap } from './gitea-ldap.ts';
import { gitlab } from './gitlab.ts';
import { googleWorkspace } from './google-workspace.ts';
import { grafana } from './grafana.ts';
import { guacamole } from './guacamole.ts';
import { harbor } from './harbor.ts';
import { headscale } from './headscale.ts';
import { hedgedoc } from './hedgedoc.ts';
import { homeAssistant } from './home-assistant.ts';
import { homepage } from './homepage.ts';
import { immich } from './immich.ts';
import { jellyfin } from './jellyfin.ts';
import { jellyfinLdap } from './jellyfin-ldap.ts';
import { jenkins } from './jenkins.ts';
import { jenkinsLdap } from './jenkins-ldap.ts';
import { jupyterhub } from './jupyterhub.ts';
import { komga } from './komga.ts';
import { kubernetes } from './kubernetes.ts';
import { lidarr } from './lidarr.ts';
import { mastodon } from './mastodon.ts';
import { mealie } from './mealie.ts';
import { mellon } from './mellon.ts';
import { miniflux } from './miniflux.ts';
import { minio } from './minio.ts';
import { netbox } from './netbox.ts';
import { nextcloud } from './nextcloud.ts';
import { nextcloudLdap } from './nextcloud-ldap.ts';
import { nodeRed } from './node-red.ts';
import { oauth2Proxy } from './oauth2-proxy.ts';
import { openWebui } from './open-webui.ts';
import { openidConnect } from './openid-connect.ts';
import { outline } from './outline.ts';
import { paperlessNgx } from './paperless-ngx.ts';
import { pfsense } from './pfsense.ts';
import { pgadmin } from './pgadmin.ts';
import { portainer } from './portainer.ts';
import { postfix } from './postfix.ts';
import { prometheus } from './prometheus.ts';
import { prowlarr } from './prowlarr.ts';
import { proxmox } from './proxmox.ts';
import { proxmoxLdap } from './proxmox-ldap.ts';
import { publicClient } from './public-client.ts';
import { radarr } from './radarr.ts';
import { radius } from './radius.ts';
import { rancher } from './rancher.ts';
import { rocketChat } from './rocket-chat.ts';
import { saml } from './saml.ts';
import { seafile } from './seafile.ts';
import { snipeIt } from './snipe-it.ts';
import { sonarqube } from './sonarqube.ts';
import { sonarr } from './sonarr.ts';
import { sssd } from './sssd.ts';
import { stirlingPdf } from './stirling-pdf.ts';
import { synapse } from './synapse.ts';
import { synology } from './synology.ts';
import { tailscale } from './tailscale.ts';
import { traefikDashboard } from './traefik-dashboard.ts';
import { uptimeKuma } from './uptime-kuma.ts';
import { vault } from './vault.ts';
import { vaultwarden } from './vaultwarden.ts';
import { vikunja } from './vikunja.ts';
import { wikiJs } from './wiki-js.ts';
import { wordpress } from './wordpress.ts';
import { zabbix } from './zabbix.ts';
import { zammad } from './zammad.ts';
import { zammadSaml } from './zammad-saml.ts';
import { zulip } from './zulip.ts';

/** The gallery. To add an application: a file here, and a line in this list. */
export const templates: readonly Template[] = [
  openidConnect,
  publicClient,
  saml,
  forwardAuth,
  radius,
  actualBudget,
  alertmanager,
  apache,
  argoCd,
  audiobookshelf,
  awsIdentityCenter,
  bookstack,
  cloudflareAccess,
  dovecot,
  fileBrowser,
  forgejo,
  freshrss,
  gitea,
  giteaLdap,
  gitlab,
  googleWorkspace,
  grafana,
  guacamole,
  harbor,
  headscale,
  hedgedoc,
  homeAssistant,
  homepage,
  immich,
  jellyfin,
  jellyfinLdap,
  jenkins,
  jenkinsLdap,
  jupyterhub,
  komga,
  kubernetes,
  lidarr,
  mastodon,
  mealie,
  mellon,
  miniflux,
  minio,
  netbox,
  nextcloud,
  nextcloudLdap,
  nodeRed,
  oauth2Proxy,
  openWebui,
  outline,
  paperlessNgx,
  pfsense,
  pgadmin,
  portainer,
  postfix,
  prometheus,
  prowlarr,
  proxmox,
  proxmoxLdap,
  radarr,
  rancher,
  rocketChat,
  seafile,
  snipeIt,
  sonarqube,
  sonarr,
  sssd,
  stirlingPdf,
  synapse,
  synology,
  tailscale,
  traefikDashboard,
  uptimeKuma,
  vault,
  vaultwarden,
  vikunja,
  wikiJs,
  wordpress,
  zabbix,
  zammad,
  zammadSaml,
  zulip,
];
