import { parseDictionary } from './parse-dictionary.ts';

/**
 * The attributes that mappings may set and read, by name: code, type, and for those of RFC 2868 that they carry a tag
 * or are encrypted. From RFC 2865, 2866, 2868, 2869, 3162, 3580, 4372, 4675, 4818, 4849 and the documentation of
 * vendors.
 */
const attributes = `
User-Name 1 string
NAS-IP-Address 4 ipaddr
NAS-Port 5 integer
Service-Type 6 integer
Framed-Protocol 7 integer
Framed-IP-Address 8 ipaddr
Framed-IP-Netmask 9 ipaddr
Framed-Routing 10 integer
Filter-Id 11 string
Framed-MTU 12 integer
Framed-Compression 13 integer
Login-IP-Host 14 ipaddr
Login-Service 15 integer
Login-TCP-Port 16 integer
Reply-Message 18 string
Callback-Number 19 string
Callback-Id 20 string
Framed-Route 22 string
Framed-IPX-Network 23 ipaddr
Class 25 octets
Session-Timeout 27 integer
Idle-Timeout 28 integer
Termination-Action 29 integer
Called-Station-Id 30 string
Calling-Station-Id 31 string
NAS-Identifier 32 string
Login-LAT-Service 34 string
Login-LAT-Node 35 string
Login-LAT-Group 36 octets
Framed-AppleTalk-Link 37 integer
Framed-AppleTalk-Network 38 integer
Framed-AppleTalk-Zone 39 string
Acct-Session-Id 44 string
Acct-Multi-Session-Id 50 string
Event-Timestamp 55 date
Egress-VLANID 56 integer
Ingress-Filters 57 integer
Egress-VLAN-Name 58 string
User-Priority-Table 59 octets
NAS-Port-Type 61 integer
Port-Limit 62 integer
Login-LAT-Port 63 string
Tunnel-Type 64 integer tag
Tunnel-Medium-Type 65 integer tag
Tunnel-Client-Endpoint 66 string tag
Tunnel-Server-Endpoint 67 string tag
Tunnel-Password 69 string tag encrypted
Configuration-Token 78 string
Tunnel-Private-Group-Id 81 string tag
Tunnel-Assignment-Id 82 string tag
Tunnel-Preference 83 integer tag
Acct-Interim-Interval 85 integer
NAS-Port-Id 87 string
Framed-Pool 88 string
Chargeable-User-Identity 89 octets
Tunnel-Client-Auth-Id 90 string tag
Tunnel-Server-Auth-Id 91 string tag
NAS-Filter-Rule 92 string
NAS-IPv6-Address 95 ipv6addr
Framed-Interface-Id 96 octets
Framed-IPv6-Prefix 97 ipv6prefix
Login-IPv6-Host 98 ipv6addr
Framed-IPv6-Route 99 string
Framed-IPv6-Pool 100 string
Delegated-IPv6-Prefix 123 ipv6prefix
Framed-IPv6-Address 168 ipv6addr

vendor Cisco 9
Cisco-AVPair 1 string
Cisco-NAS-Port 2 string
Cisco-Data-Rate 197 integer
Cisco-PreSession-Time 198 integer
Cisco-Account-Info 250 string
Cisco-Service-Info 251 string
Cisco-Command-Code 252 string
Cisco-Control-Info 253 string

vendor Microsoft 311
MS-MPPE-Encryption-Policy 7 integer
MS-MPPE-Encryption-Types 8 integer
MS-Primary-DNS-Server 28 ipaddr
MS-Secondary-DNS-Server 29 ipaddr
MS-Primary-NBNS-Server 30 ipaddr
MS-Secondary-NBNS-Server 31 ipaddr

vendor Aruba 14823
Aruba-User-Role 1 string
Aruba-User-Vlan 2 integer
Aruba-Priv-Admin-User 3 integer
Aruba-Admin-Role 4 string
Aruba-Essid-Name 5 string
Aruba-Location-Id 6 string
Aruba-Port-Id 7 string
Aruba-Template-User 8 string
Aruba-Named-User-Vlan 9 string
Aruba-AP-Group 10 string

vendor Mikrotik 14988
Mikrotik-Recv-Limit 1 integer
Mikrotik-Xmit-Limit 2 integer
Mikrotik-Group 3 string
Mikrotik-Wireless-Forward 4 integer
Mikrotik-Rate-Limit 8 string
Mikrotik-Realm 9 string
Mikrotik-Address-List 19 string
Mikrotik-Wireless-VLANID 26 integer
Mikrotik-Wireless-VLANID-Type 27 integer

vendor Fortinet 12356
Fortinet-Group-Name 1 string
Fortinet-Client-IP-Address 2 ipaddr
Fortinet-Vdom-Name 3 string
Fortinet-Client-IPv6-Address 4 octets
Fortinet-Interface-Name 5 string
Fortinet-Access-Profile 6 string

vendor Juniper 2636
Juniper-Local-User-Name 1 string
Juniper-Allow-Commands 2 string
Juniper-Deny-Commands 3 string
Juniper-Allow-Configuration 4 string
Juniper-Deny-Configuration 5 string

vendor PaloAlto 25461
PaloAlto-Admin-Role 1 string
PaloAlto-Admin-Access-Domain 2 string
PaloAlto-Panorama-Admin-Role 3 string
PaloAlto-Panorama-Admin-Access-Domain 4 string
PaloAlto-User-Group 5 string
`;

/** Names of values. */
const values = `
Service-Type Login-User 1
Service-Type Framed-User 2
Service-Type Callback-Login-User 3
Service-Type Callback-Framed-User 4
Service-Type Outbound-User 5
Service-Type Administrative-User 6
Service-Type NAS-Prompt-User 7
Service-Type Authenticate-Only 8
Service-Type Callback-NAS-Prompt 9
Service-Type Call-Check 10
Service-Type Callback-Administrative 11
Framed-Protocol PPP 1
Framed-Protocol SLIP 2
Framed-Compression None 0
Framed-Compression Van-Jacobson-TCP-IP 1
Login-Service Telnet 0
Login-Service Rlogin 1
Login-Service TCP-Clear 2
Termination-Action Default 0
Termination-Action RADIUS-Request 1
NAS-Port-Type Async 0
NAS-Port-Type Virtual 5
NAS-Port-Type Ethernet 15
NAS-Port-Type Wireless-802.11 19
Tunnel-Type PPTP 1
Tunnel-Type L2F 2
Tunnel-Type L2TP 3
Tunnel-Type GRE 10
Tunnel-Type VLAN 13
Tunnel-Medium-Type IPv4 1
Tunnel-Medium-Type IPv6 2
Tunnel-Medium-Type IEEE-802 6
MS-MPPE-Encryption-Policy Encryption-Allowed 1
MS-MPPE-Encryption-Policy Encryption-Required 2
`;

export const dictionary = parseDictionary(attributes, values);
