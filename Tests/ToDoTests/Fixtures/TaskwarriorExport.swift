// Each program's capture has a file.
// swift-format-ignore-file: LineLength
/// Captured from programs that write the formats.
enum TaskwarriorExport {
    /// `task export` of Taskwarrior 2.6.2: every status, annotations, fields of its own, a repeating task.
    static let text = #"""
        [
        {"id":1,"description":"Buy \"milk\" \/  ünï 🎉 foo.bar:x","due":"20261122T000000Z","entry":"20261121T053408Z","modified":"20261121T053408Z","priority":"H","project":"Home.shop","scheduled":"20261201T100000Z","status":"pending","until":"20261231T235959Z","uuid":"281fce64-8188-47eb-8eb4-4b9e531f1d7f","wait":"20261121T200000Z","annotations":[{"entry":"20261121T053408Z","description":"first note"},{"entry":"20261121T053409Z","description":"http:\/\/x\/y \"q\""}],"tags":["errand","home"],"urgency":22.2541},
        {"id":2,"description":"Second","entry":"20261121T053408Z","estimate":1.5,"modified":"20261121T053408Z","start":"20261121T053408Z","status":"pending","uuid":"2275f99a-aed8-4307-9975-83e8d832452e","when":"20261122T000000Z","depends":["281fce64-8188-47eb-8eb4-4b9e531f1d7f"],"urgency":-1},
        {"id":3,"description":"Rec","due":"20261122T000000Z","entry":"20261121T053408Z","mask":"-","modified":"20261121T053408Z","recur":"weekly","rtype":"periodic","status":"recurring","uuid":"2f414b1f-fe61-4881-b26c-10faf4151aac","urgency":8.4541},
        {"id":4,"description":"Rec","due":"20261122T000000Z","entry":"20261121T053408Z","imask":0,"modified":"20261121T053408Z","parent":"2f414b1f-fe61-4881-b26c-10faf4151aac","recur":"weekly","rtype":"periodic","status":"pending","uuid":"30fc8036-ef85-463b-87d5-460f2e0156b3","urgency":8.4541},
        {"id":5,"description":"wt","entry":"20261121T053408Z","modified":"20261121T053408Z","status":"pending","uuid":"79612d86-b692-4389-b774-5a68644d48a5","wait":"99991230T000000Z","urgency":-3},
        {"id":0,"description":"gone","end":"20261121T053408Z","entry":"20261121T053408Z","modified":"20261121T053408Z","status":"deleted","uuid":"24858b75-9156-414b-b7e3-245a216fad68","urgency":0},
        {"id":0,"description":"dd","end":"20261121T053408Z","entry":"20261121T053408Z","modified":"20261121T053408Z","status":"completed","uuid":"7cc68fa5-e701-4786-9575-77aa1c4e2966","urgency":0}
        ]
        """#
}
